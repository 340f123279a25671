import CoreData
import CoreDataPredicate
import LabResults
import Testing
import TortureCampaigns

@testable import LabTorture

/// Random predicates and sort orders have the same result in every evaluator.
@Suite struct EvaluatorTests {
    @Test func `five evaluators agree on random predicates over odd data`() throws {
        let slice = try EvaluatorsPart().run(0..<20, seed: 11, progress: { _ in })
        for failure in slice.failures {
            Issue.record("attempt \(failure.attempt): \(failure.what)\n\(failure.input ?? "")")
        }
        #expect(slice.counts["predicates"] == 20 * EvaluatorsPart.predicates)
        #expect(slice.counts["allowed: missing values"] ?? 0 > 0)
    }

    @Test func `a predicate that one evaluator refuses is a difference, and is shrunk`() throws {
        var dice = Dice(seed: 3, 0)
        let judge = try EvaluatorJudge(OddData(&dice))
        // As documented, a store refuses predicates with blocks.
        let block = NSPredicate(block: { _, _ in true })
        let predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "small > -5 OR text != nil OR name != nil"), block,
        ])
        let difference = try #require(try judge.verdict(predicate).difference)
        #expect(difference.contains("SQLite refuses"))
        #expect(try PredicateShrinker(judge).shrunk(predicate) === block)
        #expect(try judge.verdict(NSPredicate(format: "name == 'i0'")).difference == nil)
    }
}
