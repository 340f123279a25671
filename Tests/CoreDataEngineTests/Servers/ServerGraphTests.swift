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

    @Test(arguments: UInt64(1)...16)
    func `both stores have the same outcome of random edits`(_ seed: UInt64) throws {
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
            // The server refuses a reference to a row that the other context has deleted; SQLite
            // keeps the reference.
            if found != expected,
                found.hasPrefix("error \(NSManagedObjectReferentialIntegrityError)")
            {
                return
            }
            try #require(found == expected, "edit \(place): \(edit)")
            if place == edits.count - 1 || (expected == "saved" && place % 4 == 0) {
                let (found, expected) = (try server.contents(), try file.contents())
                try #require(found == expected, "after edit \(place): \(edit)")
            }
        }
    }
}
