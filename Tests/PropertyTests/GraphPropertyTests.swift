import CoreData
import Foundation
import Testing

/// A random sequence, which depends only on the seed.
private struct Sequence {
    let arrangement: Arrangement
    let operations: [Operation]

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        arrangement = Arrangement(using: &random)
        let length = 10 + random.next(below: 40)
        operations = (0..<length).map { _ in Operation(using: &random) }
    }
}

@Suite("Random sequences on up to four contexts")
struct GraphPropertyTests {
    /// The number of sequences: `FAULTLINE_SEQUENCES`, or by default a small number.
    private static var count: Int {
        ProcessInfo.processInfo.environment["FAULTLINE_SEQUENCES"].flatMap { Int($0) } ?? 400
    }

    private static var firstSeed: UInt64 {
        ProcessInfo.processInfo.environment["FAULTLINE_FIRST_SEED"].flatMap { UInt64($0) } ?? 1
    }

    @Test func `every context shows the state of the reference, after any sequence of steps`() {
        let models = [false, true].map(PropertyModel.make)
        for seed in Self.firstSeed..<Self.firstSeed + UInt64(Self.count) {
            let sequence = Sequence(seed: seed)
            let model = models[sequence.arrangement.isOrdered ? 1 : 0]
            guard Self.failure(sequence.operations, sequence.arrangement, model) != nil else {
                continue
            }
            let shrinking = Shrinking {
                Self.failure($0, sequence.arrangement, model) != nil
            }
            let small = shrinking.shrink(sequence.operations)
            Issue.record(Comment(rawValue: Self.report(small, sequence.arrangement, seed, model)))
            return
        }
    }

    @Test func `a failing sequence shrinks to the steps that matter`() {
        let sequence = Sequence(seed: 7)
        let needle = [
            Operation(kind: .insert, context: 0, subject: 77_777, value: 1),
            Operation(kind: .save, context: 1, subject: 77_777, value: 2),
        ]
        var operations = sequence.operations
        operations.insert(needle[0], at: operations.count / 3)
        operations.insert(needle[1], at: operations.count / 2)
        let shrinking = Shrinking { candidate in needle.allSatisfy(candidate.contains) }
        #expect(shrinking.shrink(operations) == needle)
    }

    private static func failure(
        _ operations: [Operation], _ arrangement: Arrangement, _ model: NSManagedObjectModel
    ) -> String? {
        do {
            try SequenceRunner(arrangement, model: model).run(operations)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private static func report(
        _ operations: [Operation], _ arrangement: Arrangement, _ seed: UInt64,
        _ model: NSManagedObjectModel
    ) -> String {
        var lines = ["seed \(seed), \(arrangement), \(operations.count) steps:"]
        do {
            let runner = try SequenceRunner(arrangement, model: model)
            do { try runner.run(operations) } catch {
                lines += runner.log.map { "  \($0)" }
                lines.append("\(error)")
            }
        } catch { lines.append("\(error)") }
        return lines.joined(separator: "\n")
    }
}
