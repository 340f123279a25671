import CoreData
import XCTest

/// A test on a new stack in a new folder, with the SQL log turned on.
class LabsTestCase: XCTestCase {
    private(set) var log: StandardErrorLog!
    private(set) var folder: URL!

    override class func setUp() {
        // Has the effect of the launch argument `-com.apple.CoreData.SQLDebug 1`.
        UserDefaults.standard.register(defaults: ["com.apple.CoreData.SQLDebug": "1"])
    }

    override func setUpWithError() throws {
        log = StandardErrorLog()
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("labs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws {
        try FileManager.default.removeItem(at: folder)
        log.stop()
    }

    /// A container with a loaded SQLite store.
    func container(
        _ model: NSManagedObjectModel, name: String = "Labs", file: StaticString = #filePath,
        line: UInt = #line
    ) -> NSPersistentContainer {
        let container = NSPersistentContainer(name: name, managedObjectModel: model)
        let url = folder.appendingPathComponent("\(name).sqlite")
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        container.loadPersistentStores { _, error in
            XCTAssertNil(error, "\(String(describing: error))", file: file, line: line)
        }
        return container
    }

    func background(_ container: NSPersistentContainer) -> NSManagedObjectContext {
        container.newBackgroundContext()
    }

    func insert<T: NSManagedObject>(
        _ type: T.Type, into context: NSManagedObjectContext, _ values: [String: Any] = [:]
    ) -> T {
        let object = T(context: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }
}
