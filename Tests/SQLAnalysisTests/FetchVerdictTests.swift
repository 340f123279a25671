import CoreData
import Foundation
import LabResults
import SQLAnalysis
import Testing

@Suite struct FetchVerdictTests {
    private func verdict(
        _ library: Library, _ entity: String, _ change: (inout FetchQuestion) -> Void = { _ in }
    ) throws -> FetchVerdict {
        try verdict(library.path, entity, change)
    }

    private func verdict(
        _ store: String, _ entity: String, _ change: (inout FetchQuestion) -> Void
    ) throws -> FetchVerdict {
        var trial = try FetchTrial(store: store, model: nil)
        trial.rounds = 1
        var question = FetchQuestion(entity: entity)
        change(&question)
        return try trial.run(question).verdict
    }

    private func choice(
        _ verdict: FetchVerdict, _ purpose: String
    ) throws -> FetchVerdict.Choice {
        try #require(verdict.choices.first { $0.purpose.contains(purpose) })
    }

    @Test func `the advice for each purpose is the fetch with the lowest counts`() throws {
        let verdict = try verdict(try Library(authors: 300), "Book") { $0.sort = ["title"] }
        #expect(try choice(verdict, "only the number").ways == ["count"])
        #expect(
            try choice(verdict, "only the number").code
                == ["let count = try context.count(for: request)"])
        #expect(try choice(verdict, "the first 20").code == ["request.fetchLimit = 20"])
        #expect(try choice(verdict, "reading every object").ways.first == "plain")
        #expect(!(try choice(verdict, "every object").ways.contains("faults only")))
        #expect(verdict.code.last?.hasPrefix("request.fetchBatchSize = ") == true)
        #expect(verdict.code.first?.hasPrefix("let request = NSFetchRequest") == true)
        #expect(verdict.choices.allSatisfy { !$0.ways.isEmpty && $0.reason.contains("statement") })
    }

    @Test func `a fetch that fits on a screen reads its objects at once`() throws {
        let verdict = try verdict(try Library(authors: 6), "Author") { $0.sort = ["name"] }
        #expect(!verdict.code.contains { $0.contains("fetchBatchSize") })
        #expect(!verdict.choices.contains { $0.purpose.contains("the first 20") })
    }

    @Test func `a relationship that is read is prefetched, with the line to paste`() throws {
        let verdict = try verdict(try Library(authors: 60), "Author") {
            $0.keyPaths = ["books.publisher"]
        }
        let paths = try choice(verdict, "relationships")
        #expect(paths.ways.allSatisfy { $0.hasPrefix("prefetch") })
        let line = "request.relationshipKeyPathsForPrefetching = [\"books.publisher\"]"
        #expect(paths.code.contains(line))
        #expect(verdict.code.contains(line))
    }

    @Test func `a scan is cured by an index that was tried on the copy`() throws {
        let library = try Library(authors: 300)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: library.path))
        let verdict = try verdict(library, "Book") { $0.predicate = "title == 'Book 7.1'" }
        let index = try #require(verdict.index)
        #expect(index.entity == "Book")
        #expect(index.attributes == ["title"])
        #expect(index.planBefore.contains { $0.contains("SCAN") })
        #expect(index.planAfter.contains { $0.contains("USING INDEX") })
        #expect(index.vmStepsAfter * 10 < index.vmStepsBefore)
        #expect(index.code.contains { $0.contains("propertiesByName[\"title\"]!") })
        #expect(index.code.last?.contains("NSFetchIndexDescription(name: \"byTitle\"") == true)
        // The index is only proposed, so the file of the user is unchanged.
        #expect(try Data(contentsOf: URL(fileURLWithPath: library.path)) == bytes)
    }

    @Test func `a sort without a condition is cured by an index in its order`() throws {
        let verdict = try verdict(try Library(authors: 300), "Book") { $0.sort = ["title desc"] }
        let index = try #require(verdict.index)
        #expect(index.attributes == ["title"])
        #expect(index.planBefore.contains { $0.contains("TEMP B-TREE") })
        #expect(!index.planAfter.contains { $0.contains("TEMP B-TREE") })
    }

    @Test func `a condition and an order share one index, the condition first`() throws {
        let verdict = try verdict(try Library(authors: 300), "Book") {
            $0.predicate = "title == 'Book 7.1'"
            $0.sort = ["publisher"]
        }
        #expect(verdict.index?.attributes.first == "title")
    }

    @Test func `a fetch that needs no index, or already uses one, gets no advice`() throws {
        let library = try Library(authors: 300)
        // The store has an index for every relationship.
        #expect(try verdict(library, "Book").index == nil)
        let owned = try verdict(library, "Book") { $0.predicate = "author == NULL" }
        #expect(owned.index == nil)
    }

    @Test func `a search inside texts is reported with the reason why no index helps`() throws {
        let verdict = try verdict(try Library(authors: 300), "Book") {
            $0.predicate = "title CONTAINS[cd] 'ook 7'"
        }
        let index = try #require(verdict.index)
        #expect(index.attributes.isEmpty && index.code.isEmpty)
        #expect(index.reason.hasPrefix("No index"))
    }

    // MARK: Indexes for conditions

    private func index(
        _ predicate: String, of entity: String = "Book"
    ) throws -> FetchVerdict.IndexAdvice {
        let verdict = try Shelf.with { shelf in
            try self.verdict(shelf.store, entity) { $0.predicate = predicate }
        }
        return try #require(verdict.index)
    }

    @Test func `each side of an OR gets its own index, and both are tried together`() throws {
        let both = try index("year == 1950 OR pages == 77")
        #expect(both.attributes == ["year"])
        #expect(both.others == [["pages"]])
        #expect(both.planAfter.contains("MULTI-INDEX OR"))
        #expect(both.reason.hasPrefix("Fetch indexes on Book over year and over pages, one for"))
        #expect(both.code.count { $0.hasPrefix("let book = ") } == 1)
        #expect(both.code.contains { $0.hasPrefix("let elements2 = ") })
        let nested = try index("year == 1950 OR (pages == 77 OR title == 'a0')")
        #expect([nested.attributes] + (nested.others ?? []) == [["year"], ["pages"], ["title"]])
    }

    @Test func `an index on another entity is tried if a key path leads to it`() throws {
        let named = try index("author.name == 'Author 7'")
        #expect(named.entity == "Author")
        #expect(named.attributes == ["name"])
        let any = try index("ANY books.year == 1950", of: "Author")
        #expect(any.entity == "Book")
        #expect(any.attributes == ["year"])
    }

    @Test(arguments: [
        ("title BEGINSWITH 'b2'", "title >= \\\"b2\\\" AND title < \\\"b3\\\""),
        ("title BEGINSWITH[n] 'b2'", "title >= \\\"b2\\\" AND title < \\\"b3\\\""),
        ("title LIKE 'b2*'", "title >= \\\"b2\\\" AND title < \\\"b3\\\""),
        (
            "title BEGINSWITH 'b' AND pages >= 0",
            "(title >= \\\"b\\\" AND title < \\\"c\\\") AND pages >= 0"
        ),
    ])
    func `a prefix is tried as a range with an index`(predicate: String, range: String) throws {
        let index = try index(predicate)
        #expect(index.attributes.first == "title")
        #expect(index.code.first == "request.predicate = NSPredicate(format: \"\(range)\")")
        #expect(index.vmStepsAfter * 5 < index.vmStepsBefore)
        #expect(index.reason.hasPrefix("No index serves BEGINSWITH or LIKE"))
    }

    @Test(arguments: [
        ("title BEGINSWITH[cd] 'B'", "BEGINSWITH[cd]"),
        ("title BEGINSWITH[c] 'B'", "BEGINSWITH[c]"),
    ])
    func `a prefix without regard to case needs a normalised copy`(predicate: String, name: String)
        throws
    {
        let index = try index(predicate)
        #expect(index.attributes.isEmpty)
        #expect(index.reason.hasPrefix("No index serves \(name), which"))
        #expect(index.code.count == 1)
        #expect(index.code.first?.contains("\"normalisedTitle >= %@ AND") == true)
    }

    @Test(arguments: [
        ("year != 1950", "Book", "No index serves != or NOT"),
        ("books.@count > 3", "Author", "No index serves the count or the sum of a relationship"),
        ("title ENDSWITH '7'", "Book", "No index serves a search inside texts"),
        ("year == 1950 OR title CONTAINS '7'", "Book", "No index serves a search inside texts"),
        ("year + 1 == 1950", "Book", "No index serves a value that is computed for each row"),
        (
            "year > 1900", "Book",
            "No index makes this fetch cheaper: the fetch returns 594 of the table's 600 rows. "
                + "Tried on the copy: year."
        ),
    ])
    func `if no index helps, the report has the true reason`(
        predicate: String, entity: String, reason: String
    ) throws {
        let index = try index(predicate, of: entity)
        #expect(index.attributes.isEmpty)
        #expect(index.reason.hasPrefix(reason))
    }

    @Test func `a batch size that is named twice is tried once`() throws {
        var trial = try Shelf.with { try FetchTrial(store: $0.store, model: nil) }
        trial.rounds = 1
        var question = FetchQuestion(entity: "Book")
        question.batchSizes = [20, 20, 50, 20]
        let report = try trial.run(question)
        let names = report.strategies.map(\.name)
        #expect(names.filter { $0.hasPrefix("batch") } == ["batch 20", "batch 50"])
        for choice in report.verdict.choices {
            #expect(Set(choice.ways).count == choice.ways.count)
        }
    }
}
