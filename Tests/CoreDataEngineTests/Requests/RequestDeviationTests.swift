import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Synchronization
import TestSupport
import Testing

/// Behaviour of requests that differs from Core Data's.
@Suite struct RequestDeviationTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let log: StatementLog

    init() throws {
        let shelf = try Shelf([("a", 1999, "Ada"), ("b", 2001, "Ada"), ("c", 1, nil)])
        (coordinator, context, log) = (shelf.coordinator, shelf.context, shelf.log)
        context.performAndWait { context.reset() }
    }

    @Test func `D-040 objects are read whole although a request names properties`() throws {
        try context.performAndWait {
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.propertiesToFetch = ["title"]
            let books = try context.fetch(request)
            #expect(log.texts.count == 1 && log.texts[0].contains("t0.ZYEAR"))
            #expect(Set(books.map(\.year)) == [1999, 2001, 1])
            #expect(log.texts.count == 1)
        }
    }

    @Test(
        arguments: [
            (["titel": "x"], "'titel' in a batch request is not a property of 'Book'"),
            (["year": "x"], "Unacceptable type of value for attribute"),
        ] as [([String: String], String)])
    func `D-041 a batch request with an unknown key or a wrong value is an error`(
        values: [String: String], text: String
    ) throws {
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = values
        let insert = NSBatchInsertRequest(entityName: "Book", objects: [values])
        for request in [update, insert] as [NSPersistentStoreRequest] {
            let error = try #require(throws: (any Error).self) {
                try context.performAndWait { try context.execute(request) }
            }
            #expect((error as NSError).localizedDescription.contains(text))
        }
        #expect(log.texts.isEmpty)
    }

    @Test func `D-042 a batch update may pick rows by their relationships`() throws {
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.predicate = NSPredicate(format: "author.name = 'Ada'")
        request.propertiesToUpdate = ["year": 7]
        request.resultType = .updatedObjectsCountResultType
        try context.performAndWait {
            let result = try context.execute(request) as? NSBatchUpdateResult
            #expect(result?.result as? Int == 2)
            let books = try context.fetch(NSFetchRequest<Book>(entityName: "Book"))
            #expect(books.map(\.year).sorted() == [1, 7, 7])
        }
    }

    private func grouped(_ format: String) throws -> [Int?] {
        let value = NSExpressionDescription()
        value.name = "value"
        value.expression = NSExpression(format: format, argumentArray: [])
        value.expressionResultType = .integer64AttributeType
        let request = NSFetchRequest<NSDictionary>(entityName: "Author")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["name", value]
        request.propertiesToGroupBy = ["name"]
        let found = try context.performAndWait { try context.fetch(request) }
        return found.map { ($0["value"] as? NSNumber)?.intValue }
    }

    @Test func `D-043 a group's members are counted and added, their average is refused`() throws {
        #expect(try grouped("count:(books)") == [2])
        #expect(try grouped("sum:(books.year)") == [4_000])
        let error = try #require(throws: (any Error).self) {
            try grouped("average:(books.year)")
        }
        #expect((error as NSError).localizedDescription.contains("with groups"))
    }

    @Test func `D-044 a write of another process posts no remote change`() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("process-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Store.sqlite")
        let here = try Self.coordinator(at: url)
        let posts = RemoteChanges(of: here)
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            try RequestDeviationTests.write(at: URL(fileURLWithPath: path))
        }
        let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        reader.persistentStoreCoordinator = here
        let request = NSFetchRequest<Book>(entityName: "Book")
        #expect(try reader.performAndWait { try reader.count(for: request) } == 1)
        #expect(posts.count == 0)
        try Self.write(at: url)
        #expect(posts.count == 1)
    }

    fileprivate static func coordinator(at url: URL) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.makeModel())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [
                NSPersistentHistoryTrackingKey: true,
                NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
            ])
        return coordinator
    }

    fileprivate static func write(at url: URL) throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = try coordinator(at: url)
        try context.performAndWait {
            _ = Book(context: context)
            try context.save()
        }
    }
}

private final class RemoteChanges {
    private final class Seen: Sendable {
        let number = Mutex(0)
    }

    private let seen = Seen()
    private let observer: any NSObjectProtocol

    init(of coordinator: NSPersistentStoreCoordinator) {
        let seen = seen
        observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
        ) { _ in seen.number.withLock { $0 += 1 } }
    }

    deinit { NotificationCenter.default.removeObserver(observer) }

    var count: Int { seen.number.withLock { $0 } }
}
