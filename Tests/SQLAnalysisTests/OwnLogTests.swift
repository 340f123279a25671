import CoreData
import Foundation
import LabFiles
import LabResults
import SQLAnalysis
import Testing

@Suite struct OwnLogTests {
    /// Reads titles and publishers one by one.
    private func readAll(
        _ context: NSManagedObjectContext, prefetching paths: [String]? = nil
    ) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        request.relationshipKeyPathsForPrefetching = paths
        for author in try context.fetch(request) {
            let books = (author.value(forKey: "books") as? NSSet)?.allObjects ?? []
            for case let book as NSManagedObject in books {
                _ = book.value(forKey: "title")
                _ = (book.value(forKey: "publisher") as? NSManagedObject)?.value(forKey: "name")
            }
        }
    }

    @Test(arguments: 1...4)
    func `a planted N+1 in our own log is found at every level, with the key path to prefetch`(
        level: Int
    ) throws {
        let library = try Library()
        let lines = try library.log(level: level) { try readAll($0) }
        var reader = SQLLogReader()
        // There are only four publishers, so each loop has only four faults.
        reader.chainMin = 4
        let report = try reader.read(lines.bytes, name: "ours.txt")
        let cure = try #require(report.findings.first { $0.kind == .missingPrefetch })
        #expect(cure.keyPaths == ["books.publisher"])
        #expect(cure.origin?.entity == "Author")
        #expect(cure.origin?.line == 1)
        let chains = report.findings.filter { $0.kind == .nPlusOne }
        #expect(
            chains.first { $0.title.hasPrefix("10 faults of the relationship Author.books") } != nil
        )
        #expect(chains.first { $0.title.hasPrefix("30 faults of Book") }?.keyPaths == ["books"])
        #expect(report.totals.otherLines == 0)
        #expect(report.totals.selects == 1 + 10 + 30 + 4)
    }

    @Test func `the proposed cure removes the chain`() throws {
        let library = try Library()
        let before = try library.log { try readAll($0) }
        let after = try library.log { try readAll($0, prefetching: ["books.publisher"]) }
        let reader = SQLLogReader()
        let old = try reader.read(before.bytes, name: "before")
        var report = try reader.read(after.bytes, name: "after")
        report.compare(with: old)
        #expect(!report.findings.contains { $0.kind == .nPlusOne })
        #expect(report.totals.selects == 3)
        let comparison = try #require(report.comparison)
        #expect(comparison.vanished.count == old.findings.count)
        #expect(comparison.appeared.isEmpty)
        #expect(comparison.changes.first?.after == 0)
    }

    @Test func `a store names relationships and shows plans`() throws {
        let library = try Library(authors: 200)
        let lines = try library.log(level: 2) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "title == %@", "Book 3.1")
            _ = try context.fetch(request)
        }
        var reader = SQLLogReader()
        try reader.use(store: library.path, model: nil)
        let report = try reader.read(lines.bytes, name: "ours.txt")
        let index = try #require(report.findings.first { $0.kind == .missingIndex })
        #expect(index.advice == "Add a fetch index on title to the entity Book.")
        #expect(index.title.contains("600 rows"))
        #expect(index.plan == ["SCAN t0"])
        #expect(report.shapes.first?.entity == "Book")
    }

    @Test func `a plan of level 4 shows a missing index without a store`() throws {
        let library = try Library()
        let lines = try library.log(level: 4) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "title == %@", "Book 3.1")
            let found = try context.fetch(request)
            #expect(found.count == 1)
        }
        #expect(lines.text.contains("details: SQLite bind[0] = \"Book 3.1\""))
        #expect(lines.text.contains("returned 1 rows with values: (\n    \"<Book: 0x"))
        let report = try SQLLogReader().read(lines.bytes, name: "ours.txt")
        let index = try #require(report.findings.first { $0.kind == .missingIndex })
        #expect(index.statement?.contains("ZTITLE = ?") == true)
        #expect(report.shapes.first?.rows == 1)
    }

    @Test func `a text without lines of Core Data is refused with instructions`() {
        for text in ["", "hello\nworld\n"] {
            #expect(throws: InputError.self) {
                try SQLLogReader().read([UInt8](text.utf8), name: "other.txt")
            }
        }
    }
}
