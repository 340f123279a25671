import CoreData
import CoreDataEngine
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization

/// Collects the lines of a log from any thread.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    var text: String { lines.withLock { $0.map { $0 + "\n" }.joined() } }
    var bytes: [UInt8] { [UInt8](text.utf8) }
}

/// A store with authors, three books for each author, and four publishers.
final class Library {
    let folder: URL
    let coordinator: NSPersistentStoreCoordinator
    var path: String { folder.appendingPathComponent("library.sqlite").path }

    init(authors: Int = 10) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("faultline-library-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.makeModel())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil,
            at: folder.appendingPathComponent("library.sqlite"), options: nil)
        try fill(authors)
    }

    deinit {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
        try? FileManager.default.removeItem(at: folder)
    }

    func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// The lines that the engine logs at the given level while the body runs.
    func log(level: Int = 1, _ body: (NSManagedObjectContext) throws -> Void) rethrows -> LogLines {
        let lines = LogLines()
        let log = SQLLog(level: level) { lines.add($0) }
        coordinator.trace.add(log)
        defer { coordinator.trace.remove(log) }
        let context = context()
        try context.performAndWait { try body(context) }
        return lines
    }

    private func fill(_ authors: Int) throws {
        let context = context()
        try context.performAndWait {
            let publishers = (0..<4).map { number in
                let publisher = NSEntityDescription.insertNewObject(
                    forEntityName: "Publisher", into: context)
                publisher.setValue("Publisher \(number)", forKey: "name")
                return publisher
            }
            for number in 0..<authors {
                let author = NSEntityDescription.insertNewObject(
                    forEntityName: "Author", into: context)
                author.setValue("Author \(number)", forKey: "name")
                for index in 0..<3 {
                    let book = NSEntityDescription.insertNewObject(
                        forEntityName: "Book", into: context)
                    book.setValue("Book \(number).\(index)", forKey: "title")
                    book.setValue(author, forKey: "author")
                    book.setValue(publishers[(number + index) % 4], forKey: "publisher")
                }
            }
            try context.save()
        }
    }

    static func makeModel() -> NSManagedObjectModel {
        func entity(_ name: String, _ attribute: String) -> NSEntityDescription {
            let entity = NSEntityDescription()
            entity.name = name
            let text = NSAttributeDescription()
            text.name = attribute
            text.attributeType = .stringAttributeType
            text.isOptional = true
            entity.properties = [text]
            return entity
        }
        func relate(
            _ one: NSEntityDescription, _ name: String, to other: NSEntityDescription,
            _ inverse: String
        ) {
            let toOne = NSRelationshipDescription()
            toOne.name = name
            toOne.maxCount = 1
            toOne.isOptional = true
            toOne.destinationEntity = other
            let toMany = NSRelationshipDescription()
            toMany.name = inverse
            toMany.isOptional = true
            toMany.destinationEntity = one
            toOne.inverseRelationship = toMany
            toMany.inverseRelationship = toOne
            one.properties.append(toOne)
            other.properties.append(toMany)
        }
        let author = entity("Author", "name")
        let book = entity("Book", "title")
        let publisher = entity("Publisher", "name")
        relate(book, "author", to: author, "books")
        relate(book, "publisher", to: publisher, "books")
        let model = NSManagedObjectModel()
        model.entities = [author, book, publisher]
        return model
    }
}
