import CoreData
import Foundation

/// The setting of the model is "Category/Extension". The program declares the class, and the plugin
/// generates its properties.
public class Author: NSManagedObject {
    public var titles: [String] { books?.array.compactMap { ($0 as? Book)?.title } ?? [] }

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        name = "Anonymous"
    }
}

/// The setting of the model is "Manual/None".
public class Note: NSManagedObject {
    public var text: String? {
        get { value(forKey: "text") as? String }
        set { setValue(newValue, forKey: "text") }
    }
}

/// The Core Data stack as in Apple's documentation.
public enum Persistence {
    public static func container(at url: URL) throws -> NSPersistentContainer {
        guard let modelURL = Bundle.module.url(forResource: "Library", withExtension: "momd"),
            let model = NSManagedObjectModel(contentsOf: modelURL)
        else { throw CocoaError(.fileNoSuchFile) }
        let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }
}
