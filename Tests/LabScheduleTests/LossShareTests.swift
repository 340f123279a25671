import LabSchedule
import Testing

/// The share of the continuations of a prefix that lose.
@Suite struct LossShareTests {
    /// Two sessions that each read a counter and then write the next number.
    private final class CounterWorld: ScheduleWorld {
        struct Broken: Error {}

        let plan = SchedulePlan(
            lanes: ["a", "b"].map { name in
                SchedulePlan.Lane(name: name, steps: ["\(name)1", "\(name)2"])
            }, orders: [], mailboxes: [])
        private var counter = 0
        private var read = [0, 0]
        private var positions = [0, 0]
        private(set) var runs = 0
        var recordsFootprints = false
        let footprint = Footprint()

        var isLost: Bool { counter < 2 }

        func reset() throws(Broken) {
            counter = 0
            positions = [0, 0]
        }

        func run(lane: Int) throws(Broken) {
            if positions[lane] == 0 { read[lane] = counter } else { counter = read[lane] + 1 }
            positions[lane] += 1
        }

        func waiting(inMailbox mailbox: Int) -> Int { 0 }

        func nextName(lane: Int) -> String? {
            positions[lane] < 2 ? plan.lanes[lane].steps[positions[lane]] : nil
        }

        func finish() throws(Broken) { runs += 1 }
    }

    private func shares(
        _ path: [UInt8], exactMax: Int = 100, seed: UInt64 = 1
    ) throws -> [LossShare?] {
        let world = CounterWorld()
        var shares = LossShares(plan: world.plan, world: world) { world.isLost }
        shares.exactMax = exactMax
        shares.seed = seed
        return try shares.along(path)
    }

    @Test func `the loss is certain when both sessions have read`() throws {
        let exact = try shares([0, 1, 0, 1])
        #expect(exact.map { $0?.share } == [0.5, 0.5, 1, 1, 1])
        #expect(exact.map { $0?.isCertain } == [false, false, true, true, true])
    }

    @Test func `a schedule that does not lose has no shares`() throws {
        #expect(try shares([0, 0, 1, 1]).isEmpty)
    }

    @Test func `the interval of drawn continuations contains the exact share`() throws {
        let contained = try (1...100).count { seed in
            let drawn = try shares([0, 1, 0, 1], exactMax: 0, seed: UInt64(seed))
            guard let first = drawn[0], !first.isExact else { return false }
            return first.low <= 0.5 && 0.5 <= first.high
        }
        #expect(contained >= 95)
    }

    @Test func `a deadline leaves shares unknown`() throws {
        let world = CounterWorld()
        var shares = LossShares(plan: world.plan, world: world) { world.isLost }
        shares.deadline = .now
        let found = try shares.along([0, 1, 0, 1])
        #expect(found.last??.share == 1)
        #expect(found[0] == nil)
    }
}
