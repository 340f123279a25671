import CoreData
import CoreDataPostgreSQL
import CoreDataPostgreSQLClient
import CoreDataSQLite
import Foundation
import PostgreSQLTestSupport
import SQLAnalysis
import TestSupport
import Testing

/// Copies of stores between files and servers.
@Suite(.needsPostgreSQL) struct StoreTransferTests {
    private let folder: TemporaryFolder
    private let database: TestDatabase

    init() throws {
        folder = try TemporaryFolder()
        database = try TestServer.shared().makeDatabase()
    }

    private func address(_ schema: String) -> String {
        "postgresql:///\(database.name)?host=\(database.server.socketFolder)&user=postgres"
            + "&schema=\(schema)"
    }

    /// The last line of a report: the numbers of rows, values and references.
    private func total(_ report: TransferReport) -> Substring? {
        report.text.split(separator: "\n").last
    }

    private static let stores =
        RealStores.samples.map(\.store) + ["RestKit-RestKit-RKSeedDatabase.sqlite"]

    @Test(.enabled(if: RealStores.folder != nil, RealStores.areMissing), arguments: stores)
    func `a real store is the same on a server and in a file again`(name: String) throws {
        let original = try folder.copy(name)
        let there = try StoreTransfer(from: original, to: address("copy"), model: nil).run()
        #expect(there.isEqual, "\(there.text)")
        let back = try StoreTransfer(
            from: address("copy"), to: folder.path("back.sqlite"), model: nil
        ).run()
        #expect(back.isEqual, "\(back.text)")
        #expect(total(there) == total(back))
        let whole = try StoreTransfer(
            from: original, to: folder.path("back.sqlite"), model: nil
        ).comparison()
        #expect(whole.isEqual, "\(whole.text)")
    }

    @Test func `a report names each difference, and the rows that only one store has`() throws {
        try Shelf.with { shelf in
            let transfer = StoreTransfer(from: shelf.store, to: address("shelf"), model: nil)
            let report = try transfer.run()
            #expect(report.isEqual, "\(report.text)")
            #expect(
                report.text.contains("750 rows, 1950 values, 150 references"),
                "\(report.text)")
            try database.connect().runScript(
                """
                UPDATE shelf."Book" SET title = 'other' WHERE _key = 1;
                UPDATE shelf."Book" SET author = NULL WHERE _key =
                    (SELECT max(_key) FROM shelf."Book" WHERE author IS NOT NULL);
                DELETE FROM shelf."Book" WHERE _key = 3;
                INSERT INTO shelf."Author"(_key, _entity, _version) VALUES(9999, 1, 1)
                """)
            let changed = try transfer.comparison()
            #expect(!changed.isEqual)
            for text in ["Book/p1.title is", ".author is null", "Book/p3 is missing", "p9999"] {
                #expect(changed.text.contains(text), "\(changed.text)")
            }
            // A copy never replaces a store.
            let error = #expect(throws: (any Error).self) { try transfer.run() }
            #expect("\(error.map { "\($0)" } ?? "")".contains("exists"))
        }
    }

    @Test func `a copy from a server that does not answer is an error with its address`() throws {
        let transfer = StoreTransfer(
            from: "postgresql:///none?host=/nowhere", to: folder.path("a.sqlite"), model: nil)
        let error = #expect(throws: (any Error).self) { try transfer.run() }
        #expect("\(error.map { "\($0)" } ?? "")".contains("postgresql:///none"))
    }
}
