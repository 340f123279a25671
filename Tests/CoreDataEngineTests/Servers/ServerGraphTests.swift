import CoreDataEngine
import CoreDataModel
import CoreDataPostgreSQL
import CoreDataPredicate
import CoreDataStore
import PostgreSQLTestSupport
import Testing

/// Executes random edits of random models on a server and on a SQLite store, and compares the
/// outcome of each edit and the contents of both stores.
@Suite(.needsPostgreSQL) struct ServerGraphTests {
    private static var policies: [NSMergePolicy] {
        [.error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback]
    }

    @Test func `both stores have the same outcome of random edits`() throws {
        let compared = try (UInt64(1)...16).reduce(0) { try $0 + Self.compare($1) }
        #expect(compared > 800, "only \(compared) of 1600 edits were compared")
    }

    /// Compares at most 100 edits. The server refuses a save with a reference to a row that the
    /// other context has deleted; SQLite keeps the reference. The comparison ends there.
    ///
    /// - Returns: the number of edits with the same outcome.
    private static func compare(_ seed: UInt64) throws -> Int {
        let database = try TestServer.shared().makeDatabase()
        let folder = try GraphFolder()
        var random = RandomGraph(seed: seed)
        let policies = (0..<2).map { _ in random.pick(Self.policies) }
        let begin = random
        func model() -> NSManagedObjectModel {
            var generator = begin
            return generator.model()
        }
        let file = try EditedStore(policies: policies) {
            try GraphStack(model(), at: folder.store)
        }
        let server = try EditedStore(policies: policies) {
            try GraphStack(
                model(), at: database.url(schema: "random"), type: FaultlinePostgreSQLStoreType)
        }
        let edits = RandomEdits(begin, model: model(), count: 100).edits
        for (place, (context, edit)) in edits.enumerated() {
            let expected = file.outcome(edit, in: context)
            let found = server.outcome(edit, in: context)
            if expected == "saved",
                found.hasPrefix("error \(NSManagedObjectReferentialIntegrityError)")
            {
                return place
            }
            try #require(found == expected, "seed \(seed), edit \(place): \(edit)")
            if place == edits.count - 1 || (expected == "saved" && place % 4 == 0) {
                let (found, expected) = (try server.contents(), try file.contents())
                try #require(found == expected, "seed \(seed), after edit \(place): \(edit)")
            }
        }
        return edits.count
    }
}
