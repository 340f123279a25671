import CoreDataEngine
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation
import TestSupport
import Testing

/// Tests of requests that are passed to `execute`, and of fetches over unsaved changes.
@Suite struct ExecutingTests {
    let coordinator: NSPersistentStoreCoordinator
    let queue = SteppedQueue(label: "test")
    let context: NSManagedObjectContext

    init() throws {
        coordinator = try Library.makeCoordinator()
        context = NSManagedObjectContext(
            concurrencyType: .privateQueueConcurrencyType, queue: queue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for title in ["b", "d", "f"] { Book(context: context).title = title }
            try context.save()
        }
    }

    private func request<T>(_ type: T.Type = T.self) -> NSFetchRequest<T> {
        let request = NSFetchRequest<T>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return request
    }

    // Proves S2.5-16
    @Test func `execute() of a request uses the context of the running block`() throws {
        let request = request(Book.self)
        #expect(throws: (any Error).self) { try request.execute() }
        let titles = try context.performAndWait { try request.execute().map(\.title) }
        #expect(titles == ["b", "d", "f"])
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        let contexts = try child.performAndWait { () throws(any Error) in
            let first = try request.execute().first?.managedObjectContext
            let inner = try context.performAndWait { () throws(any Error) in
                try request.execute().first?.managedObjectContext
            }
            return [first, inner, try request.execute().first?.managedObjectContext]
        }
        #expect(contexts == [child, context, child])
        #expect(throws: (any Error).self) { try request.execute() }
    }

    // Proves S2.12-1
    @Test func `an asynchronous fetch returns at once and calls its block later`() throws {
        var titles: [String?]?
        let request = NSAsynchronousFetchRequest(fetchRequest: request(Book.self)) { result in
            titles = result.finalResult?.map(\.title)
            #expect(result.operationError == nil)
        }
        let result = try context.performAndWait {
            try #require(try context.execute(request) as? NSAsynchronousFetchResult<Book>)
        }
        #expect(titles == nil && result.finalResult == nil)
        #expect(result.progress?.isIndeterminate == true)
        runAll()
        #expect(titles == ["b", "d", "f"])
        #expect(result.progress?.fractionCompleted == 1)
        #expect(result.managedObjectContext === context)
    }

    // Proves S2.12-2, S2.12-3
    @Test func `a cancelled asynchronous fetch runs no statement and says so`() throws {
        let log = StatementLog()
        coordinator.trace.add(log)
        var error: NSError?
        let request = NSAsynchronousFetchRequest(fetchRequest: request(Book.self)) { result in
            error = result.operationError as NSError?
            #expect(result.finalResult == nil)
        }
        request.estimatedResultCount = 3
        let result = try context.performAndWait {
            try #require(try context.execute(request) as? NSPersistentStoreAsynchronousResult)
        }
        #expect(result.progress?.totalUnitCount == 3)
        result.cancel()
        runAll()
        #expect(error?.code == CocoaError.Code.userCancelled.rawValue)
        #expect(log.texts.isEmpty)
    }

    @Test func `a failing asynchronous fetch reports its error`() throws {
        let request = NSAsynchronousFetchRequest(
            fetchRequest: NSFetchRequest<Book>(entityName: "Bok"))
        let result = try context.performAndWait {
            try #require(try context.execute(request) as? NSAsynchronousFetchResult<Book>)
        }
        runAll()
        #expect(result.finalResult == nil)
        #expect(result.operationError?.localizedDescription.contains("Bok") == true)
    }

    private func runAll() { while queue.runNext() != nil {} }

    // Proves S2.6-3
    @Test func `ids of unsaved objects are appended without sorting`() throws {
        try context.performAndWait {
            let new = Book(context: context)
            new.title = "c"
            let ids = request(NSManagedObjectID.self)
            ids.resultType = .managedObjectIDResultType
            let found = try context.fetch(ids)
            #expect(found.first == new.objectID && found.count == 4)
            #expect(try context.fetch(request(Book.self)).map(\.title) == ["b", "c", "d", "f"])
        }
    }

    // Proves S2.6-4
    @Test func `a limit is applied again over unsaved changes, an offset is not`() throws {
        try context.performAndWait {
            Book(context: context).title = "a"
            let request = request(Book.self)
            request.fetchLimit = 2
            let limited = try context.fetch(request)
            #expect(limited.map(\.title) == ["a", "b"])
            #expect(try context.count(for: request) == 2)
            request.fetchOffset = 1
            // The second and third rows of the store are merged with the new object.
            #expect(try context.fetch(request).map(\.title) == ["a", "d"])
        }
    }

    // Proves S2.5-14
    @Test func `only affected stores run the request`() throws {
        let other = try Library.makeCoordinator()
        let request = request(Book.self)
        request.affectedStores = other.persistentStores
        func counts() throws -> [Int] {
            try context.performAndWait {
                [try context.fetch(request).count, try context.count(for: request)]
            }
        }
        #expect(try counts() == [0, 0])
        request.affectedStores = coordinator.persistentStores
        #expect(try counts() == [3, 3])
        let copy = try #require(request.copy() as? NSFetchRequest<Book>)
        #expect(copy.affectedStores?.count == 1)
    }

    @Test func `a coordinator executes a fetch without unsaved changes`() throws {
        try context.performAndWait {
            Book(context: context).title = "a"
            let found = try coordinator.execute(request(Book.self), with: context) as? [Book]
            #expect(found?.map(\.title) == ["b", "d", "f"])
        }
    }

    @Test func `a context refuses a save request, a coordinator writes metadata for an empty one`()
        throws
    {
        let empty = NSSaveChangesRequest(inserted: nil, updated: [], deleted: nil, locked: nil)
        #expect(empty.requestType == .saveRequestType)
        let store = try #require(coordinator.persistentStores.first)
        var codes: [Int] = []
        func run(_ request: NSSaveChangesRequest, _ body: (NSSaveChangesRequest) throws -> Any) {
            do { _ = try body(request) } catch { codes.append((error as NSError).code) }
        }
        context.performAndWait {
            run(empty) { try context.execute($0) }
            coordinator.setMetadata(["mine": "kept"], for: store)
            run(empty) { try coordinator.execute($0, with: context) }
            let book = Book(context: context)
            let full = NSSaveChangesRequest(
                inserted: [book], updated: nil, deleted: nil, locked: nil)
            #expect(full.insertedObjects == [book])
            run(full) { try coordinator.execute($0, with: context) }
        }
        #expect(codes == [134_091, 134_091])
    }
}
