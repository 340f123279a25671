import CoreDataEngine
import CoreDataModel
import CoreDataPostgreSQL
import CoreDataPostgreSQLClient
import CoreDataPredicate
import CoreDataStore
import Foundation
import PostgreSQLTestSupport
import Synchronization
import Testing

/// Tests of saves while the connection is cut, while others hold locks, and while others write.
@Suite(.needsPostgreSQL) struct ServerFailureTests {
    private let database: TestDatabase

    init() throws { database = try TestServer.shared().makeDatabase() }

    private func stack(
        _ url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> GraphStack {
        try GraphStack(
            GraphModels.moody(), at: url, type: FaultlinePostgreSQLStoreType, options: options)
    }

    /// The count in the only row, read by a connection that is not cut.
    private func stored() throws -> Int64 {
        try database.connect().execute("SELECT count FROM library.\"Country\"")[0, 0].integer
    }

    @Test func `D-080 a save whose connection ends is whole, missing or unknown`() throws {
        let proxy = try CuttingProxy(to: database.server)
        defer { proxy.close() }
        let items = "host=\(proxy.socketFolder)&user=postgres&schema=library"
        let url = try #require(URL(string: "postgresql:///\(database.name)?\(items)"))
        let stack = try stack(url)
        let context = stack.context(.overwrite)
        try context.on {
            let country = context.make("Country", ["code": "fr", "count": 0])
            try context.save()
            var count: Int64 = 0
            func save() -> NSError? {
                count += 1
                country.setValue(count, forKey: "count")
                return context.saveError()
            }
            #expect(save() == nil)
            proxy.cut(nil)
            #expect(save() == nil)
            let messages = proxy.messages
            #expect(messages > 0)
            var unknown = 0
            for message in 1...messages {
                proxy.cut(.afterMessage(message))
                if let error = save() {
                    #expect(error.userInfo[FaultlineSaveOutcomeUnknownErrorKey] as? Bool == true)
                    unknown += 1
                    #expect([count, count - 1].contains(try stored()))
                } else {
                    #expect(try stored() == count)
                }
                proxy.cut(nil)
                context.refresh(country, mergeChanges: true)
                #expect(save() == nil)
            }
            #expect(unknown > 0)
            #expect(try stored() == count)
        }
    }

    @Test func `D-080 a save waits for a lock only as long as the address allows`() throws {
        let stack = try stack(database.url(schema: "library", "lock_timeout=20"))
        let context = stack.context()
        try context.on {
            let country = context.make("Country", ["code": "fr", "count": 0])
            try context.save()
            let other = try database.connect()
            try other.begin()
            try other.execute("UPDATE library.\"Country\" SET name = 'held'")
            country.setValue(1, forKey: "count")
            let error = context.saveError()
            #expect(error?.localizedDescription.contains("held a lock for too long") == true)
            try other.rollback()
            try context.save()
        }
        #expect(try stored() == 1)
    }

    @Test func `a reader of the history sees every transaction once, in order`() async throws {
        let url = database.url(schema: "library")
        let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        let (writers, saves) = (4, 12)
        _ = try stack(url, options: options)
        let left = Remaining(writers)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    defer { left.end() }
                    let stack = try GraphStack(
                        GraphModels.moody(), at: url, type: FaultlinePostgreSQLStoreType,
                        options: [NSPersistentHistoryTrackingKey: true])
                    let context = stack.context()
                    try context.on {
                        for save in 0..<saves {
                            context.make("Country", ["code": "\(writer) \(save)"])
                            try context.save()
                        }
                    }
                }
            }
            let reader = try stack(url, options: options)
            let context = reader.context()
            var seen: [Int64] = []
            var token: NSPersistentHistoryToken?
            var isLast = false
            while !isLast {
                isLast = left.isZero
                let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
                try context.on {
                    let result = try context.execute(request) as? NSPersistentHistoryResult
                    for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
                        seen.append(transaction.transactionNumber)
                        token = transaction.token
                    }
                }
            }
            #expect(seen == (1...Int64(writers * saves)).map { $0 })
            try await group.waitForAll()
        }
    }
}

/// The number of writers that have not ended.
private final class Remaining: Sendable {
    private let count: Mutex<Int>

    init(_ count: Int) { self.count = Mutex(count) }

    func end() { count.withLock { $0 -= 1 } }

    var isZero: Bool { count.withLock { $0 == 0 } }
}
