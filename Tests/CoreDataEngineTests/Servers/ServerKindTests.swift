import CoreDataPostgreSQL
import CoreDataStore
import Foundation
import PostgreSQLTestSupport
import Testing

/// Runs the tests of `StoreTesting` for stores on a PostgreSQL server.
@Suite(.needsPostgreSQL) struct ServerKindTests {
    private let database: TestDatabase
    private let testing: StoreTesting

    init() throws {
        let database = try TestServer.shared().makeDatabase()
        self.database = database
        testing = StoreTesting(type: FaultlinePostgreSQLStoreType) {
            database.url(schema: $0)
        }
    }

    @Test func `fetches have the results of a store in memory`() throws { try testing.fetches() }

    @Test func `saved rows are read by others`() throws { try testing.saves() }

    @Test func `a changed row is a conflict`() throws { try testing.conflicts() }

    @Test func `equal values of a constraint are a conflict`() throws {
        try testing.constraints()
    }

    @Test func `members and their order are kept`() throws { try testing.relationships() }

    @Test func `a read-only store is not changed`() throws { try testing.readOnly() }

    @Test func `history is recorded or absent`() throws { try testing.history() }

    @Test func `batch requests run or are refused`() throws { try testing.batches() }

    @Test func `an earlier state is held or refused`() throws { try testing.heldState() }

    @Test func `a store goes back to a mark or refuses`() throws { try testing.rewinding() }

    @Test func `metadata is written and read, also of a closed store`() throws {
        try testing.metadata()
    }

    @Test func `a coordinator meets the rows of another one`() throws {
        try testing.coordinators()
    }
}

extension TestDatabase {
    /// The URL of a store in the database.
    func url(schema: String, _ options: String...) -> URL {
        let items =
            ["host=\(server.socketFolder)", "user=postgres", "schema=\(schema)"] + options
        guard let url = URL(string: "postgresql:///\(name)?\(items.joined(separator: "&"))") else {
            preconditionFailure("the address of the tests is not a URL")
        }
        return url
    }
}
