import CoreData
import Foundation
import LabResults
import SQLAnalysis
import Testing

@Suite struct FetchVerdictTests {
    private func verdict(
        _ library: Library, _ entity: String, _ change: (inout FetchQuestion) -> Void = { _ in }
    ) throws -> FetchVerdict {
        var trial = try FetchTrial(store: library.path, model: nil)
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

    @Test func `each purpose has the way that its counts choose`() throws {
        let verdict = try verdict(try Library(authors: 300), "Book") { $0.sort = ["title"] }
        #expect(try choice(verdict, "the number alone").ways == ["count"])
        #expect(
            try choice(verdict, "the number alone").code
                == ["let count = try context.count(for: request)"])
        #expect(try choice(verdict, "the first 20").code == ["request.fetchLimit = 20"])
        #expect(try choice(verdict, "reading every object").ways.first == "plain")
        #expect(!(try choice(verdict, "every object").ways.contains("faults only")))
        #expect(verdict.code.last?.hasPrefix("request.fetchBatchSize = ") == true)
        #expect(verdict.code.first?.hasPrefix("let request = NSFetchRequest") == true)
        #expect(verdict.choices.allSatisfy { !$0.ways.isEmpty && $0.reason.contains("statement") })
    }

    @Test func `what fits on a screen is read in one piece`() throws {
        let verdict = try verdict(try Library(authors: 6), "Author") { $0.sort = ["name"] }
        #expect(!verdict.code.contains { $0.contains("fetchBatchSize") })
        #expect(!verdict.choices.contains { $0.purpose.contains("the first 20") })
    }

    @Test func `a relationship that is walked is prefetched, with the line to paste`() throws {
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
        // The user's file has none of it.
        #expect(try Data(contentsOf: URL(fileURLWithPath: library.path)) == bytes)
    }

    @Test func `what is sorted on its own is cured by an index in that order`() throws {
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

    @Test func `a fetch that an index serves already, or that needs none, gets no advice`() throws {
        let library = try Library(authors: 300)
        // Relationships have an index in every store.
        #expect(try verdict(library, "Book").index == nil)
        let owned = try verdict(library, "Book") { $0.predicate = "author == NULL" }
        #expect(owned.index == nil)
    }

    @Test func `a search inside texts is told with what no index can do`() throws {
        let verdict = try verdict(try Library(authors: 300), "Book") {
            $0.predicate = "title CONTAINS[cd] 'ook 7'"
        }
        let index = try #require(verdict.index)
        #expect(index.attributes.isEmpty && index.code.isEmpty)
        #expect(index.reason.hasPrefix("No index"))
    }
}
