import CoreData
import Foundation
import LabResults
import LabRunner

/// A shelf that stores the number of its books in an attribute.
final class CountingShelf: NSManagedObject {
    override func willSave() {
        super.willSave()
        let books = (value(forKey: "books") as? Set<NSManagedObject>)?.count ?? 0
        if primitiveValue(forKey: "count") as? Int != books {
            setPrimitiveValue(books, forKey: "count")
        }
    }
}

enum Stacks {
    static let model: NSManagedObjectModel = {
        func attribute(
            _ name: String, _ type: NSAttributeType, _ value: Any? = nil
        ) -> NSAttributeDescription {
            let made = NSAttributeDescription()
            made.name = name
            made.attributeType = type
            made.defaultValue = value
            return made
        }
        let (item, shelf, book) = (
            NSEntityDescription(), NSEntityDescription(), NSEntityDescription()
        )
        item.name = "Item"
        item.properties = [
            attribute("code", .stringAttributeType), attribute("price", .doubleAttributeType),
            attribute("amount", .integer64AttributeType, 0),
            attribute("sold", .dateAttributeType), attribute("serial", .UUIDAttributeType),
            attribute("seal", .binaryDataAttributeType),
        ]
        let (books, owner) = (NSRelationshipDescription(), NSRelationshipDescription())
        books.name = "books"
        books.destinationEntity = book
        books.maxCount = 0
        books.inverseRelationship = owner
        owner.name = "shelf"
        owner.destinationEntity = shelf
        owner.maxCount = 1
        owner.inverseRelationship = books
        shelf.name = "Shelf"
        shelf.managedObjectClassName = NSStringFromClass(CountingShelf.self)
        shelf.properties = [attribute("count", .integer64AttributeType, 0), books]
        book.name = "Book"
        book.properties = [owner]
        for entity in [item, book] { entity.managedObjectClassName = "NSManagedObject" }
        let model = NSManagedObjectModel()
        model.entities = [item, shelf, book]
        return model
    }()

    /// A container with a new store in a new folder.
    static func make(tracksHistory: Bool = false) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Recorded", managedObjectModel: model)
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let description = NSPersistentStoreDescription(
            url: folder.appendingPathComponent("store.sqlite"))
        if tracksHistory {
            description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        }
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }

    static func context(
        _ name: String, of container: NSPersistentContainer
    ) -> NSManagedObjectContext {
        let context = container.newBackgroundContext()
        context.name = name
        return context
    }

    static func insert(
        _ entity: String, _ values: [String: Any] = [:], in container: NSPersistentContainer
    ) throws -> NSManagedObjectID {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            let made = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            for (key, value) in values { made.setValue(value, forKey: key) }
            try context.save()
            return made.objectID
        }
    }

    static func folder() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    }
}

/// A barrier at which threads wait for each other, so that their race occurs in every run.
final class Meeting: Sendable {
    private let arrived = DispatchGroup()

    init(_ count: Int) { for _ in 0..<count { arrived.enter() } }

    func wait() {
        arrived.leave()
        arrived.wait()
    }

    /// Runs each closure on a new thread and waits for all.
    static func run(_ work: [@Sendable () throws -> Void]) throws {
        let group = DispatchGroup()
        let failures = Failures()
        for body in work {
            group.enter()
            Thread {
                do { try body() } catch { failures.add(error) }
                group.leave()
            }.start()
        }
        group.wait()
        if let first = failures.first { throw first }
    }
}

/// The errors that threads have thrown.
///
/// `@unchecked Sendable` because a lock guards the list.
private final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [any Error] = []

    func add(_ error: any Error) { lock.withLock { all.append(error) } }

    var first: (any Error)? { lock.withLock { all.first } }
}

enum Explored {
    static func result(of text: String) throws -> ScenarioResult {
        let folder = Stacks.folder()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("recorded.yaml")
        try text.write(to: file, atomically: true, encoding: .utf8)
        let results = try ScenarioSuite(SuiteOptions()).run([file.path]).scenarios
        guard let first = results.first else { throw CocoaError(.fileReadUnknown) }
        return first
    }

    /// The number of schedules with the recorded outcome.
    static func recorded(_ result: ScenarioResult) -> Int {
        result.outcomes.filter { $0.grade == .interesting }.map(\.count).reduce(0, +)
    }
}
