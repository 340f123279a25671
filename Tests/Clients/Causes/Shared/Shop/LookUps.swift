import CoreData
import Foundation

public enum LookUps {
    public static var template: NSManagedObjectModel? {
        guard let url = Bundle.main.url(forResource: "Shop", withExtension: "momd") else {
            return nil
        }
        return NSManagedObjectModel(contentsOf: url)
    }
    public static var versions: [URL] {
        Bundle.main.urls(forResourcesWithExtension: "mom", subdirectory: "Shop.momd") ?? []
    }
    public static var ofClass: URL? {
        let bundle: Bundle = .init(for: Garage.self)
        return Bundle.init(for: Car.self).url(forResource: "Shop", withExtension: "momd")
            ?? bundle.url(forResource: "Shop", withExtension: "momd")
    }
    public static var path: String? { Bundle.main.path(forResource: "Shop", ofType: "momd") }
}

class Passing: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSString.self }
    override func transformedValue(_ value: Any?) -> Any? { value }
}

public func registerTransformer() -> Bool {
    let name = NSValueTransformerName(rawValue: "Passing")
    Foundation.ValueTransformer.setValueTransformer(Passing(), forName: name)
    return Foundation.ValueTransformer(forName: name) != nil
}

extension NSPersistentStoreCoordinator {
    public static func destroy(_ url: URL) throws {
        try self.init(managedObjectModel: NSManagedObjectModel())
            .destroyPersistentStore(at: url, ofType: NSSQLiteStoreType, options: nil)
    }
}
