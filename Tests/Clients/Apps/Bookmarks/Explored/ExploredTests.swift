import CoreData
import Foundation
import LabRunner
import Testing

@testable import Bookmarks
@testable import Persistence

/// The model is loaded once.
enum BookmarksModelFile {
    // `@unchecked Sendable` because a model does not change after it is used.
    nonisolated(unsafe) static let model: NSManagedObjectModel = {
        guard
            let model = CoreDataDatabase.loadModel(from: Bookmarks.bundle, named: "BookmarksModel")
        else { fatalError("the app's model is not in its bundle") }
        return model
    }()
}

/// Explores pairs of the app's operations on sibling contexts under each merge policy. The tests
/// find the possible final states and the lost edits. `Scripts/apps.sh FOLDER --operations` prints
/// the tables.
@Suite(.serialized) struct ExploredTests {
    private static let policies: [(name: String, policy: NSMergePolicy)] = [
        ("error", .error), ("mergeByPropertyStoreTrump", .mergeByPropertyStoreTrump),
        ("mergeByPropertyObjectTrump", .mergeByPropertyObjectTrump), ("overwrite", .overwrite),
        ("rollback", .rollback),
    ]

    private static let mode = FavoritesDisplayMode.displayUnified(native: .mobile)

    /// `b` exists, and `c` is new.
    private static func importing(
        _ database: LabDatabase, _ policy: NSMergePolicy
    ) async throws {
        let importer = BookmarkCoreDataImporter(database: database, favoritesDisplayMode: mode)
        importer.context.mergePolicy = policy
        try await importer.importBookmarks(
            ["b", "c"].map {
                BookmarkOrFolder(
                    name: $0, type: .favorite, urlString: "https://\($0).example", children: nil)
            })
    }

    private static func inContext(
        _ database: LabDatabase, _ policy: NSMergePolicy,
        _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let context = database.makeContext(
            concurrencyType: .privateQueueConcurrencyType, name: "favourites")
        context.mergePolicy = policy
        try context.performAndWait {
            try body(context)
            try context.save()
        }
    }

    /// The app does this when the user selects one list for all devices.
    private static func copying(_ database: LabDatabase, _ policy: NSMergePolicy) throws {
        try inContext(database, policy) { context in
            BookmarkUtils.copyFavorites(
                from: .unified, to: .mobile, clearingNonNativeFavoritesFolder: .desktop,
                in: context)
        }
    }

    /// The user can remove `a` from the favourites.
    private static func removing(_ database: LabDatabase, _ policy: NSMergePolicy) throws {
        try inContext(database, policy) { context in
            let url = try #require(URL(string: "https://a.example"))
            let bookmark = try #require(BookmarkUtils.fetchBookmark(for: url, context: context))
            bookmark.removeFromFavorites(with: mode)
        }
    }

    private static let tables = [
        OperationTable(
            name: "import beside copyFavorites", first: ("import", importing),
            second: ("copy", { try copying($0, $1) })),
        OperationTable(
            name: "import beside removeFromFavorites", first: ("import", importing),
            second: ("remove", { try removing($0, $1) })),
        OperationTable(
            name: "two imports of one file", first: ("import", importing),
            second: ("again", importing)),
    ]

    @Test(arguments: tables.indices)
    func `the tables show the ends of two operations under each policy`(table: Int) throws {
        let table = Self.tables[table]
        print("\n\(table.name)")
        for (name, policy) in Self.policies {
            let (report, ends) = try table.ends(policy)
            let count = report.isComplete ? "all schedules that differ" : "not all"
            print("  \(name): \(report.schedules) schedules (\(count))")
            for end in ends {
                let verdict = end.isSerial ? "as one after the other" : "as no order of the two"
                print("    \(end.schedules) × \(end.text)  -- \(verdict)")
            }
            for (finding, schedules) in report.findings.sorted(by: { $0.key < $1.key }) {
                print("    \(finding) in \(schedules)")
            }
            #expect(ends.contains { $0.isSerial })
            // A policy that refuses a save reports the error to the operation whose changes are
            // lost.
            if policy === NSMergePolicy.error {
                #expect(ends.allSatisfy { $0.isSerial || $0.isRefused || $0.text.contains("c c") })
            }
        }
    }
}
