import CoreDataEngine
import CoreDataPostgreSQLClient
import CoreDataStore
import Dispatch
import Foundation
import PostgreSQLTestSupport
import Synchronization
import Testing

@testable import CoreDataPostgreSQL

/// Tests of stores that several connections open at the same moment.
@Suite(.needsPostgreSQL) struct ServerOpeningTests {
    /// The results of threads.
    private final class Results: Sendable {
        private let found = Mutex<[Result<String, any Error>]>([])
        private let added = DispatchSemaphore(value: 0)

        func add(_ result: Result<String, any Error>) {
            found.withLock { $0.append(result) }
            added.signal()
        }

        func wait(for count: Int) { for _ in 0..<count { added.wait() } }

        var all: [Result<String, any Error>] { found.withLock { $0 } }
    }

    @Test func `several connections that open an empty schema create one store`() throws {
        let database = try TestServer.shared().makeDatabase()
        let url = database.url(schema: "shared")
        let first = try database.connect()
        try first.begin()
        try StoreOpening.lock("shared", first)
        let results = Results()
        let count = 6
        for _ in 0..<count {
            // Tasks share as many threads as the machine has processors.
            Thread.detachNewThread {
                results.add(
                    Result {
                        let stack = try GraphStack(
                            Library.makeModel(), at: url, type: FaultlinePostgreSQLStoreType,
                            options: [NSPersistentHistoryTrackingKey: true])
                        return stack.coordinator.persistentStores.first?.identifier ?? ""
                    })
            }
        }
        // Each connection has found no store, and waits to create one.
        let watcher = try database.connect()
        var waiting: Int64 = 0
        while waiting < count, results.all.isEmpty {
            waiting =
                try watcher.execute(
                    "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                        + " WHERE l.locktype = 'advisory' AND NOT l.granted"
                        + " AND d.datname = current_database()")[0, 0].integer
        }
        #expect(waiting == count)
        try first.commit()
        results.wait(for: count)
        #expect(try Set(results.all.map { try $0.get() }).count == 1)
    }
}
