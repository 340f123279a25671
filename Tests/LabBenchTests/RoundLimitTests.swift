import BenchResults
import LabBench
import Synchronization
import Testing

/// A launcher with a simulated clock. Only its processes advance the clock.
private final class ClockedLauncher: SampleLauncher {
    private let start = ContinuousClock.now
    private let elapsed = Mutex(Duration.zero)
    private let costs: [String: Double]

    /// - Parameter costs: the seconds that a timed process of each operation takes. Other processes
    ///   take no time.
    init(_ costs: [String: Double]) { self.costs = costs }

    var now: ContinuousClock.Instant { start + elapsed.withLock { $0 } }

    func launch(_ request: SampleRequest) throws(MeasurementError) -> SampleReply {
        let reply = try InProcessLauncher().launch(request)
        if request.pass == .timing, let seconds = costs[request.operation] {
            elapsed.withLock { $0 += .seconds(seconds) }
        }
        return reply
    }
}

@Suite struct RoundLimitTests {
    private let folder: Folder

    init() throws {
        let data = "data: {authors: 2, books: 3, title-bytes: 10}"
        folder = try Folder("name: a\nabout: A sentence.\noperation: full-fetch\n\(data)\n")
        try folder.add(
            "walk.yaml", "name: b\nabout: A sentence.\noperation: read-to-many\n\(data)\n")
    }

    private func options(
        _ launcher: ClockedLauncher, seconds: Double?, rounds: Int = 5
    ) -> BenchOptions {
        var options = BenchOptions(
            preset: BenchPreset(name: "quick", rounds: rounds, runs: 1, warmUps: 0),
            launcher: launcher, allowsDebugBuild: true)
        options.preset.timeLimit = seconds.map {
            BenchPreset.TimeLimit(seconds: $0, floor: 3)
        }
        options.now = { launcher.now }
        return options
    }

    private func run(
        _ costs: [String: Double], seconds: Double?, rounds: Int = 5
    ) throws -> BenchReport {
        let launcher = ClockedLauncher(costs)
        return try BenchSuite.run(
            [folder.path], options: options(launcher, seconds: seconds, rounds: rounds))
    }

    private func samples(_ report: BenchReport) -> [Int] {
        report.results.flatMap(\.strategies).flatMap { strategy in
            [strategy.time, strategy.twin?.time].map { $0?.samplesNanoseconds.count ?? 0 }
        }
    }

    @Test func `after the budget is used up each side still gets its minimum of samples`() throws {
        let report = try run(["full-fetch": 10, "read-to-many": 20], seconds: 30)
        #expect(samples(report) == [3, 3, 3, 3])
        let budget = BenchTimeBudget(seconds: 30, spentSeconds: 180, floor: 3, most: 5)
        #expect(report.timeBudget == budget)
        #expect(report.isAsExpected)
    }

    @Test func `a large budget ends with the last round of the preset`() throws {
        let report = try run(["full-fetch": 1, "read-to-many": 1], seconds: 1_000)
        #expect(samples(report) == [5, 5, 5, 5])
        #expect(report.timeBudget?.spentSeconds == 20)
    }

    @Test func `time that is too short for a long workload goes to shorter ones`() throws {
        // Three rounds take 3 * (2 * 10 + 2 * 1) seconds. A fourth round of the long workload would
        // exceed the budget.
        let report = try run(["full-fetch": 10, "read-to-many": 1], seconds: 70)
        #expect(samples(report) == [3, 3, 5, 5])
        #expect(report.timeBudget?.spentSeconds == 70)
    }

    @Test func `the budget decides the number of samples, but no count`() throws {
        let whole = try run(["full-fetch": 10], seconds: nil)
        let short = try run(["full-fetch": 10], seconds: 1)
        #expect(whole.timeBudget == nil && samples(whole) == [5, 5, 5, 5])
        #expect(Gate.baseline(from: whole) == Gate.baseline(from: short))
    }

    @Test func `a plan with fewer rounds than the minimum runs its own number`() throws {
        let report = try run(["full-fetch": 10], seconds: 1, rounds: 2)
        #expect(samples(report) == [2, 2, 2, 2])
        #expect(report.timeBudget?.floor == 2)
    }

    @Test func `a requested number of rounds or runs is measured completely`() {
        #expect(BenchPreset.quick.timeLimit == BenchPreset.TimeLimit(seconds: 60, floor: 3))
        #expect(BenchPreset.smoke.timeLimit == nil && BenchPreset.full.timeLimit == nil)
        var rounds = BenchPreset.quick
        rounds.rounds = 9
        #expect(rounds.timeLimit == nil)
        var runs = BenchPreset.quick
        runs.runs = 3
        #expect(runs.timeLimit == nil)
    }

    @Test func `a gate runs every round`() throws {
        let launcher = ClockedLauncher(["full-fetch": 10, "read-to-many": 20])
        let run = GateRun(
            files: [folder.path], options: options(launcher, seconds: 1),
            base: .build(launcher, name: "itself"))
        let report = try run.verdict().report
        #expect(samples(report) == [5, 5, 5, 5] && report.timeBudget == nil)
    }
}
