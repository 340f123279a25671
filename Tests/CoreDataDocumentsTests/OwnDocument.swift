import CoreData
import CoreDataDocuments
import Foundation
import Synchronization

/// A document that overrides how its store is opened.
class OwnDocument: UIManagedDocument {
    let calls = Mutex<[String]>([])

    init(_ url: URL) { super.init(fileURL: url) }

    override class var persistentStoreName: String { "notes.xml" }
    override var managedObjectModel: NSManagedObjectModel { NotesModel.make() }

    override func persistentStoreType(forFileType fileType: String) -> String { NSXMLStoreType }

    override func configurePersistentStoreCoordinator(
        for storeURL: URL, ofType fileType: String, modelConfiguration configuration: String?,
        storeOptions: [AnyHashable: Any]? = nil
    ) throws {
        calls.withLock { if $0.isEmpty { $0.append(fileType) } }
        try super.configurePersistentStoreCoordinator(
            for: storeURL, ofType: fileType, modelConfiguration: configuration,
            storeOptions: storeOptions)
    }

    func add(_ text: String) {
        let note = NSEntityDescription.insertNewObject(
            forEntityName: "Note", into: managedObjectContext)
        note.setValue(text, forKey: "text")
    }

    var store: NSPersistentStore? {
        managedObjectContext.persistentStoreCoordinator?.persistentStores.first
    }

    var texts: [String] {
        get throws {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            return try managedObjectContext.fetch(request).map {
                $0.value(forKey: "text") as? String ?? ""
            }
        }
    }
}
