import CoreData
import Foundation

final class Note: NSManagedObject {
    var title: String? {
        get { value(forKey: "title") as? String }
        set { setValue(newValue, forKey: "title") }
    }
    var reads: Int {
        get { value(forKey: "reads") as? Int ?? 0 }
        set { setValue(newValue, forKey: "reads") }
    }
}

/// The Core Data stack of a typical app.
final class NoteStore {
    static let model: NSManagedObjectModel = {
        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        let reads = NSAttributeDescription()
        reads.name = "reads"
        reads.attributeType = .integer64AttributeType
        reads.defaultValue = 0
        let note = NSEntityDescription()
        note.name = "Note"
        note.managedObjectClassName = NSStringFromClass(Note.self)
        note.properties = [title, reads]
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }()

    let container: NSPersistentContainer

    init(url: URL? = nil) {
        container = NSPersistentContainer(name: "Notes", managedObjectModel: Self.model)
        if let url {
            container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        } else {
            let description = NSPersistentStoreDescription()
            description.type = NSInMemoryStoreType
            container.persistentStoreDescriptions = [description]
        }
        container.loadPersistentStores { _, error in
            if let error { fatalError("\(error)") }
        }
        container.viewContext.automaticallyMergesChangesFromParent = true
    }

    /// Finds or creates the note in a background context.
    func add(_ title: String, completion: @escaping (Error?) -> Void) {
        container.performBackgroundTask { context in
            do {
                let request = NSFetchRequest<Note>(entityName: "Note")
                request.predicate = NSPredicate(format: "title == %@", title)
                if try context.fetch(request).isEmpty {
                    let note =
                        NSEntityDescription.insertNewObject(
                            forEntityName: "Note", into: context) as! Note
                    note.title = title
                }
                try context.save()
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }

    func add(_ title: String) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, Error>) in
            add(title) { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    /// Increments the number of reads on a queue of the app.
    func read(_ id: NSManagedObjectID, completion: @escaping () -> Void) {
        let container = container
        DispatchQueue(label: "reader").async {
            let context = container.newBackgroundContext()
            context.performAndWait {
                (try? context.existingObject(with: id) as? Note)?.reads += 1
                try? context.save()
            }
            DispatchQueue.main.async { completion() }
        }
    }

    func titles(_ context: NSManagedObjectContext? = nil) -> [String] {
        let context = context ?? container.viewContext
        var titles: [String] = []
        context.performAndWait {
            let request = NSFetchRequest<Note>(entityName: "Note")
            titles = ((try? context.fetch(request)) ?? []).compactMap(\.title).sorted()
        }
        return titles
    }
}
