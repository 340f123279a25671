import CoreData
import Foundation
import Testing

/// A sequence that depends only on a seed. It has many deletions and saves, and few kinds of steps.
private struct Sequence {
    let contextCount: Int
    let operations: [Operation]

    private static let kinds: [Operation.Kind] = [
        .insert, .insert, .number, .number, .number, .text, .text, .author, .author, .delete,
        .save, .save, .save, .refreshAll, .refreshAll, .rollback,
    ]

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        contextCount = 2 + random.next(below: 3)
        let length = 10 + random.next(below: 40)
        operations = (0..<length).map { _ in
            Operation(
                kind: Self.kinds[random.next(below: Self.kinds.count)],
                context: random.next(below: 12), subject: random.next(below: 1 << 16),
                value: random.next(below: 1 << 16))
        }
    }
}

@Suite("Random saves under every merge policy")
struct PolicyPropertyTests {
    private static var count: Int {
        ProcessInfo.processInfo.environment["FAULTLINE_SEQUENCES"].flatMap { Int($0) } ?? 400
    }

    private static var firstSeed: UInt64 {
        ProcessInfo.processInfo.environment["FAULTLINE_FIRST_SEED"].flatMap { UInt64($0) } ?? 1
    }

    @Test func `conflicts end as in the tables of the policies, after any sequence of saves`() {
        let model = PolicyModel.make()
        for seed in Self.firstSeed..<Self.firstSeed + UInt64(Self.count) {
            let sequence = Sequence(seed: seed)
            let fails = { (operations: [Operation]) in
                Self.failure(operations, sequence.contextCount, model) != nil
            }
            guard fails(sequence.operations) else { continue }
            let small = Shrinking(fails: fails).shrink(sequence.operations)
            let steps = Self.failure(small, sequence.contextCount, model) ?? []
            Issue.record(
                Comment(
                    rawValue: "seed \(seed), \(sequence.contextCount) contexts:\n"
                        + steps.joined(separator: "\n")))
            return
        }
    }

    /// The steps and the failure after them. Nil if nothing failed.
    private static func failure(
        _ operations: [Operation], _ contextCount: Int, _ model: NSManagedObjectModel
    ) -> [String]? {
        do {
            let runner = try PolicyRunner(contextCount: contextCount, model: model)
            do { try runner.run(operations) } catch { return runner.log + ["\(error)"] }
            return nil
        } catch {
            return ["\(error)"]
        }
    }
}
