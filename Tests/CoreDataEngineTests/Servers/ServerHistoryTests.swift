import CoreDataEngine
import CoreDataModel
import CoreDataPostgreSQL
import CoreDataPredicate
import CoreDataStore
import Dispatch
import Foundation
import PostgreSQLTestSupport
import Synchronization
import TestSupport
import Testing

/// Tests of the history and of large batches on a server.
@Suite(.needsPostgreSQL) struct ServerHistoryTests {
    private let database: TestDatabase

    init() throws { database = try TestServer.shared().makeDatabase() }

    private func stack() throws -> GraphStack {
        try GraphStack(
            Library.makeModel(), at: database.url(schema: "library"),
            type: FaultlinePostgreSQLStoreType, options: [NSPersistentHistoryTrackingKey: true])
    }

    private func transactions(
        _ context: NSManagedObjectContext, after token: NSPersistentHistoryToken?
    ) throws -> [NSPersistentHistoryTransaction] {
        let result = try context.execute(
            NSPersistentHistoryChangeRequest.fetchHistory(after: token))
        return try #require(
            (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
    }

    private final class Record: Sendable {
        let running: Atomic<Int>
        let seen = Mutex<[(number: Int64, author: String)]>([])
        let problems = Mutex<[String]>([])

        init(_ writers: Int) { running = Atomic(writers) }
    }

    @Test func `a reader that follows tokens sees each transaction of 16 writers once`() throws {
        let (writers, saves) = (16, 25)
        let stacks = try (0..<4).map { _ in try stack() }
        let contexts = (0...writers).map { stacks[$0 % stacks.count].context() }
        let reader = try stack().context()
        let record = Record(writers)
        onThreads(writers + 1) { lane in
            do {
                guard lane > 0 else {
                    var token: NSPersistentHistoryToken?
                    while true {
                        let isLast = record.running.load(ordering: .acquiring) == 0
                        let found = try reader.on { try transactions(reader, after: token) }
                        record.seen.withLock {
                            $0 += found.map { ($0.transactionNumber, $0.author ?? "") }
                        }
                        token = found.last?.token ?? token
                        if isLast, found.isEmpty { return }
                    }
                }
                defer { record.running.subtract(1, ordering: .acquiringAndReleasing) }
                let context = contexts[lane]
                try context.on {
                    for save in 0..<saves {
                        context.transactionAuthor = "\(lane) \(save)"
                        context.make("Book", ["title": "\(lane) \(save)"])
                        try context.save()
                    }
                }
            } catch {
                record.problems.withLock { $0.append("\(error)") }
            }
        }
        #expect(record.problems.withLock { $0 } == [])
        let found = record.seen.withLock { $0 }
        #expect(found.map(\.number) == found.map(\.number).sorted())
        let expected = (1...writers).flatMap { lane in (0..<saves).map { "\(lane) \($0)" } }
        #expect(found.map(\.author).sorted() == expected.sorted())
    }

    /// Runs the body on several threads at once, and waits for all.
    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let group = DispatchGroup()
        for lane in 0..<count {
            group.enter()
            Thread.detachNewThread {
                body(lane)
                group.leave()
            }
        }
        group.wait()
    }

    @Test func `a large batch is copied, and its rows and its history are those of a small one`()
        throws
    {
        let stack = try stack()
        let context = stack.context()
        let count = 1_000
        try context.on {
            let request = NSBatchInsertRequest(
                entityName: "Book",
                objects: (0..<count).map { ["title": "t\($0) ü"] })
            request.resultType = .objectIDs
            let result = try context.execute(request) as? NSBatchInsertResult
            let ids = try #require(result?.result as? [NSManagedObjectID])
            #expect(Set(ids).count == count)
            let titles = try context.all("Book").map { $0.text("title") }
            #expect(Set(titles) == Set((0..<count).map { "t\($0) ü" }))
            let changes = try transactions(context, after: nil).flatMap { $0.changes ?? [] }
            #expect(changes.count == count && changes.allSatisfy { $0.changeType == .insert })
            #expect(Set(changes.map(\.changedObjectID)) == Set(ids))
        }
    }

    @Test func `a text with U+0000 ends a large batch without rows`() throws {
        let context = try stack().context()
        try context.on {
            let request = NSBatchInsertRequest(
                entityName: "Book",
                objects: (0..<500).map { ["title": $0 == 400 ? "a\0b" : "a"] })
            let error = #expect(throws: (any Error).self) {
                _ = try context.execute(request)
            }
            let text = error.map { ($0 as NSError).localizedDescription } ?? ""
            #expect(text.contains("Book.title"), "\(text)")
            let found = try context.all("Book")
            #expect(found.isEmpty)
        }
    }
}
