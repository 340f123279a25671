import CoreDataEngine
import CoreDataPostgreSQL
import CoreDataStore
import PostgreSQLTestSupport
import Testing

/// Compares the results of random fetches on a server with those of a SQLite store.
@Suite(.needsPostgreSQL) struct ServerFetchTests {
    @Test(arguments: UInt64(1)...4)
    func `both stores have the same results of random fetches`(_ seed: UInt64) throws {
        let database = try TestServer.shared().makeDatabase()
        let folder = try GraphFolder()
        let file = try GraphStack(RandomFetch.model(), at: folder.store)
        let server = try GraphStack(
            RandomFetch.model(), at: database.url(schema: "random"),
            type: FaultlinePostgreSQLStoreType)
        for stack in [file, server] { try RandomFetch.fill(stack, seed: seed) }
        var random = RandomGraph(seed: seed)
        var rows = 0
        for number in 0..<120 {
            let fetch = RandomFetch(&random)
            let expected = fetch.result(file)
            if !expected.isEmpty { rows += 1 }
            #expect(
                fetch.result(server) == expected,
                "fetch \(number): \(fetch.format) \(fetch.arguments)")
        }
        #expect(rows > 40, "the fetches should find rows")
    }
}
