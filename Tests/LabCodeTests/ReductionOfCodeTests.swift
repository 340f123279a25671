import Foundation
import LabRunner
import Testing

@Suite struct ReductionOfCodeTests {
    /// How many random programs are compared; more where `FAULTLINE_CODE_WORLDS` says so.
    private static let count =
        ProcessInfo.processInfo.environment["FAULTLINE_CODE_WORLDS"].flatMap { Int($0) } ?? 12

    @Test func `the reduced walk shows what every schedule shows`() throws {
        var compared = 0
        var seed: UInt64 = 0
        while compared < Self.count {
            seed += 1
            let world = RandomWorld(seed: seed)
            let all = try world.explore(.exhaustive, limit: 2_000)
            // Too large to run all of them.
            if !all.isComplete { continue }
            let reduced = try world.explore(.reduced)
            #expect(reduced.isComplete, "seed \(seed)")
            #expect(
                reduced.outcomes.keys.sorted() == all.outcomes.keys.sorted(), "seed \(seed)")
            #expect(reduced.schedules <= all.schedules, "seed \(seed)")
            compared += 1
        }
    }
}
