import LabResults
import LabTorture
import Synchronization
import Testing

@testable import CrashAttacks
@testable import FuzzAttacks
@testable import TortureCampaigns

/// Tests of campaigns with a time budget. Only attempts advance the simulated clock.
@Suite struct TimeBudgetTests {
    private final class Clock: Sendable {
        private let start = ContinuousClock.now
        private let elapsed = Mutex(Duration.zero)

        var now: ContinuousClock.Instant { start + elapsed.withLock { $0 } }

        func pass(_ seconds: Double) { elapsed.withLock { $0 += .seconds(seconds) } }
    }

    /// A part whose attempts all take the same time. It records the attempts that it ran.
    private struct Steady: TorturePart {
        let name: String
        let cost: Double
        let clock: Clock
        var attemptsOfSliceMin = 4

        func run(
            _ attempts: Range<Int>, seed: UInt64, progress: (Int) -> Void
        ) throws -> TortureSlice {
            var slice = TortureSlice()
            for attempt in attempts {
                clock.pass(cost)
                slice.count("attempts")
                slice.fail(attempt, "seed \(seed)")
            }
            return slice
        }
    }

    private let clock = Clock()

    private func plan(
        _ name: String, cost: Double, most: Int = 1_000_000, floor: Int = 4, weight: Double = 1
    ) -> TortureCampaign.Plan {
        TortureCampaign.Plan(
            Steady(name: name, cost: cost, clock: clock), attempts: most, floor: floor,
            weight: weight)
    }

    private func run(
        _ plans: [TortureCampaign.Plan], budget: Double?, from report: TortureReport? = nil,
        keep: @escaping (TortureReport) throws -> Void = { _ in }
    ) throws -> TortureReport {
        let clock = clock
        return try TortureCampaign(plans, timeBudget: budget, now: { clock.now }, keep: keep)
            .run(report ?? TortureReport(preset: "short", seed: 5))
    }

    @Test func `parts share the time by their weights`() throws {
        let report = try run(
            [plan("a", cost: 0.5), plan("b", cost: 0.25, weight: 3), plan("c", cost: 1)],
            budget: 50)
        #expect(report.parts.map(\.completed) == [20, 120, 10])
        #expect(report.parts.map(\.seconds) == [10, 30, 10])
        #expect(report.parts.allSatisfy { $0.endedByTime == true })
        #expect(report.isComplete && report.timeBudgetSeconds == 50)
    }

    @Test func `after the budget is used up each part still has its minimum`() throws {
        let report = try run(
            [plan("a", cost: 9, floor: 8), plan("b", cost: 9, floor: 6), plan("c", cost: 9)],
            budget: 50)
        #expect(report.parts.map(\.completed) == [8, 6, 4])
        #expect(report.parts.map(\.floor) == [8, 6, 4])
        #expect(report.isComplete && report.spentSeconds == 162)
    }

    @Test func `a part without further attempts leaves its time to those behind it`() throws {
        let report = try run(
            [plan("a", cost: 1, most: 8), plan("b", cost: 1), plan("c", cost: 1)], budget: 60)
        #expect(report.parts.map(\.completed) == [8, 26, 26])
        #expect(report.parts.map(\.endedByTime) == [nil, true, true])
    }

    @Test func `a large budget for few attempts ends with the last attempt`() throws {
        let report = try run(
            [plan("a", cost: 1, most: 30), plan("b", cost: 0, most: 250)], budget: 1_000)
        #expect(report.parts.map(\.completed) == [30, 250])
        #expect(report.parts.allSatisfy { $0.endedByTime == nil && $0.completed == $0.planned })
    }

    @Test func `the budget decides only the number of attempts, not which ones they are`() throws {
        let few = try run([plan("a", cost: 1)], budget: 12)
        let many = try run([plan("a", cost: 1)], budget: 40)
        #expect(few.parts[0].failures.map(\.attempt) == Array(0..<12))
        #expect(Array(many.parts[0].failures.prefix(12)) == few.parts[0].failures)
        let again = try run([plan("a", cost: 1).from(11, attempts: 1)], budget: nil)
        #expect(again.parts[0].failures == [few.parts[0].failures[11]])
    }

    @Test func `without a budget all attempts run`() throws {
        let report = try run([plan("a", cost: 100, most: 150, floor: 4)], budget: nil)
        #expect(report.parts[0].completed == 150)
        #expect(report.parts[0].floor == nil && report.timeBudgetSeconds == nil)
    }

    private struct Stop: Error {}

    @Test func `a campaign that was stopped continues with the remaining time`() throws {
        let plans = [plan("a", cost: 1), plan("b", cost: 1)]
        var kept = TortureReport(preset: "short", seed: 5)
        #expect(throws: Stop.self) {
            _ = try run(
                plans, budget: 40,
                keep: { state in
                    kept = state
                    if state.parts[0].completed > 5 { throw Stop() }
                })
        }
        #expect(!kept.isComplete)
        let resumed = try run(plans, budget: 40, from: kept)
        #expect(resumed.parts.map(\.completed) == [20, 20])
        #expect(resumed.parts[0].failures.map(\.attempt) == Array(0..<20))
        let ended = try run(plans, budget: 40, from: resumed)
        #expect(ended.parts == resumed.parts)
    }

    @Test func `the minimums of the short preset reach every kind of victim and every target`()
        throws
    {
        let plans = TortureCampaign.plans(tool: "")
        #expect(TorturePreset.short.timeBudget == 60 && TorturePreset.night.timeBudget == nil)
        #expect(plans.allSatisfy { 0 < $0.floor && $0.floor <= $0.attempts && $0.weight > 0 })
        let floors = Dictionary(uniqueKeysWithValues: plans.map { ($0.part.name, $0.floor) })
        #expect(try #require(floors["kills"]) >= VictimKind.allCases.count)
        #expect(plans.count { $0.part.name.hasPrefix("fuzz-") } == FuzzTargets.all.count)
    }
}
