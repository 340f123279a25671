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
}
