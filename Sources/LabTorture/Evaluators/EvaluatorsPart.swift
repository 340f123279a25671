import CoreDataPredicate
import Foundation
import TortureCampaigns

/// Compares five evaluators of predicates: a SQLite store, an in-memory store, unsaved changes, a
/// child context and `evaluate(with:)`. They must have the same results for random predicates and
/// sort orders over unusual values.
///
/// An attempt is a set of objects with some predicates and orders. If one evaluator refuses a
/// predicate, all must refuse it.
struct EvaluatorsPart: TorturePart {
    let name = "evaluators"
    static let predicates = 20
    static let orders = 4

    func run(
        _ attempts: Range<Int>, seed: UInt64, progress: (Int) -> Void
    ) throws -> TortureSlice {
        try ParallelAttempts().run(attempts, progress: progress) { attempt, slice in
            var dice = Dice(seed: seed, attempt, salt: 0xE7A1)
            let data = OddData(&dice)
            let judge = try EvaluatorJudge(data)
            for _ in 0..<Self.predicates {
                let predicate = PredicateDice.predicate(&dice, data.count)
                slice.count("predicates")
                let verdict = try judge.verdict(predicate)
                for reason in verdict.reasons { slice.count("allowed: \(reason.rawValue)") }
                if verdict.isRefused { slice.count("refused by all") }
                guard verdict.difference != nil else { continue }
                let small = try PredicateShrinker(judge).shrunk(predicate)
                let difference = try judge.verdict(small).difference ?? ""
                slice.fail(
                    attempt, "\(small.predicateFormat): \(difference)", input: data.description)
            }
            for _ in 0..<Self.orders {
                let order = PredicateDice.order(&dice)
                slice.count("orders")
                guard let difference = try judge.difference(in: order) else { continue }
                slice.fail(attempt, "\(order): \(difference)", input: data.description)
            }
        }
    }

    static var plan: TortureCampaign.Plan {
        TortureCampaign.Plan(EvaluatorsPart(), attempts: 50_000, floor: 16, weight: 2)
    }
}
