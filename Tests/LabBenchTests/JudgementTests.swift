import BenchResults
import LabBench
import LabFiles
import Testing

@Suite struct JudgementTests {
    /// Random times around a middle value. Equal seeds result in equal times.
    private func times(_ middle: Double, spread: Double, seed: UInt64, count: Int = 15) -> [Double]
    {
        var generator = SplitMix64(seed: seed)
        return (0..<count).map { _ in
            middle * (1 + spread * (Double(generator.below(2_001)) / 1_000 - 1))
        }
    }

    @Test func `interleaved ranks are likely, separate ranks are not`() {
        // Two groups of three values have 20 orders. One of them has U = 0 and one has U = 9.
        #expect(MannWhitney.chance([1, 2, 3], [4, 5, 6]) == 0.1)
        #expect(MannWhitney.chance([4, 5, 6], [1, 2, 3]) == 0.1)
        #expect(MannWhitney.chance([1, 3, 5], [2, 4, 6]) > 0.6)
        #expect(MannWhitney.chance([1, 1], [1, 1]) == 1)
        #expect(MannWhitney.chance([], [1]) == 1)
    }

    @Test func `groups without ties are counted exactly and larger ones approximated`() {
        let first = (0..<10).map { Double($0) }
        let second = first.map { $0 + 5.5 }
        // U is 10 of 100. SciPy returns 0.0015 with the exact method. For the larger groups it
        // returns 0.00045 with the approximation.
        #expect(abs(MannWhitney.chance(first, second) - 0.0015) < 0.0003)
        let many = (0..<40).map { Double($0) }
        let shifted = many.map { $0 + 10.5 }
        let chance = MannWhitney.chance(many, shifted)
        #expect(chance > 0.0001 && chance < 0.001)
    }

    @Test func `slower by half is a regression and faster by half an improvement`() {
        let judgement = TimeJudgement(threshold: 1.1)
        let before = times(100, spread: 0.05, seed: 1)
        let slower = judgement.judge(before: before, now: times(150, spread: 0.05, seed: 2))
        #expect(slower.verdict == .regressed)
        #expect(slower.ratio.low > 1.3 && slower.chance < 0.001)
        let faster = judgement.judge(before: before, now: times(60, spread: 0.05, seed: 3))
        #expect(faster.verdict == .improved)
    }

    @Test func `a change below the smallest relevant one counts as equal`() {
        let before = times(100, spread: 0.01, seed: 1)
        let now = times(103, spread: 0.01, seed: 2)
        #expect(TimeJudgement(threshold: 1.1).judge(before: before, now: now).verdict == .same)
        #expect(
            TimeJudgement(threshold: 1.02).judge(before: before, now: now).verdict == .regressed)
    }

    @Test func `few or scattered samples are unresolved`() {
        let judgement = TimeJudgement(threshold: 1.1)
        let scattered = judgement.judge(
            before: times(100, spread: 0.8, seed: 1), now: times(115, spread: 0.8, seed: 2))
        #expect(scattered.verdict == .unresolved)
        let few = judgement.judge(before: [100, 101, 102], now: [150, 151, 152])
        #expect(few.verdict == .unresolved)
    }

    @Test func `twenty comparisons of one distribution with itself claim no regression`() {
        let judgement = TimeJudgement(threshold: 1.1)
        for seed in 1...20 {
            let verdict = judgement.judge(
                before: times(100, spread: 0.3, seed: UInt64(seed)),
                now: times(100, spread: 0.3, seed: UInt64(seed + 100))
            ).verdict
            #expect(verdict != .regressed)
        }
    }

    @Test func `outliers are counted by their distance`() {
        let samples = [10.0, 11, 12, 13, 14, 20, 90]
        let count = Statistics.outlierCount(samples)
        #expect(count.severe == 1)
        #expect(count.mild + count.severe == Statistics.outliers(samples).count)
    }

    @Test func `the exponent is the power with which time grows`() {
        #expect(abs(Statistics.exponent([(10, 5), (100, 50), (1_000, 500)]) - 1) < 1e-9)
        #expect(abs(Statistics.exponent([(10, 1), (100, 100)]) - 2) < 1e-9)
    }

    @Test func `a limit allows its own value, and the last limit applies`() throws {
        let thresholds = try Thresholds.parse(
            """
            version: 1
            limits:
              - {metric: rows, at-most: 2, reason: once}
              - {workload: full, metric: rows, at-most: 1.5, reason: again}
            """, file: "thresholds.yaml")
        let (before, now) = (Self.report(rows: 10), Self.report(rows: 15))
        #expect(
            Gate.compare(now, baseline: before, name: "b", thresholds: thresholds).exitCode == 0)
        #expect(Gate.compare(now, baseline: before, name: "b").exitCode == 1)
        let more = Gate.compare(
            Self.report(rows: 16), baseline: before, name: "b", thresholds: thresholds)
        #expect(more.exitCode == 1)
    }

    @Test func `a ratio to C above its limit fails with the limit's reason`() throws {
        let thresholds = try Thresholds.parse(
            "{version: 1, limits: [{metric: ratio-to-c, at-most: 1.5, reason: The target.}]}",
            file: "thresholds.yaml")
        var report = Self.report(rows: 1)
        report.results[0].strategies[0].time = Self.timing([20, 21, 22, 23, 24])
        report.results[0].strategies[0].twin = TwinResult(
            sentence: "", statements: [], rows: 0, vmSteps: 0,
            time: Self.timing([10, 10, 10, 10, 10]),
            ratio: Ratio(median: 2.2, low: 2, high: 2.4), checksum: "")
        let verdict = Gate.compare(report, baseline: report, name: "b", thresholds: thresholds)
        #expect(verdict.exitCode == 1)
        let message = verdict.differences.first?.message
        #expect(message?.hasSuffix("the limit is 1.50: The target.") == true)
    }

    @Test(arguments: [
        ("limits: []", "the version is missing"), ("{version: 2}", "missing or unknown"),
        ("{version: 1, limit: []}", "`limit` does not belong here"),
        ("{version: 1, limits: [{metric: rows, at-most: 2}]}", "`reason` is missing"),
        ("{version: 1, limits: [{metric: rws, at-most: 2, reason: r}]}", "is not a figure"),
        ("{version: 1, limits: [{metric: rows, at-most: 0.5, reason: r}]}", "is not a limit"),
        ("{version: 1, limits: [{metrics: rows}]}", "is not a key of a limit"),
    ])
    func `a bad file of thresholds is refused with its location`(text: String, problem: String) {
        let error = #expect(throws: InputError.self) {
            try Thresholds.parse(text, file: "thresholds.yaml")
        }
        #expect(error?.problem.contains(problem) == true)
        #expect(error?.line != nil)
    }

    @Test func `times of two runs are compared relative to C's times`() {
        func report(_ engine: Double, _ twin: Double) -> BenchReport {
            var report = Self.report(rows: 1)
            let steps = (0..<9).map { 1 + Double($0) / 1_000 }
            report.results[0].strategies[0].time = Self.timing(steps.map { $0 * engine })
            report.results[0].strategies[0].twin = TwinResult(
                sentence: "", statements: [], rows: 0, vmSteps: 0,
                time: Self.timing(steps.map { $0 * twin }), checksum: "")
            return report
        }
        // The second machine takes twice as long, also for the C baseline.
        let same = Gate.compare(
            report(4_000_000, 2_000_000), baseline: report(2_000_000, 1_000_000), name: "b",
            times: .apart)
        #expect(same.exitCode == 0)
        #expect(same.times?.map(\.verdict) == [.same])
        let slower = Gate.compare(
            report(6_000_000, 2_000_000), baseline: report(2_000_000, 1_000_000), name: "b",
            times: .apart)
        #expect(slower.times?.first?.ratio.median == 1.5)
    }

    private static func timing(_ samples: [Double]) -> Timing {
        Timing(
            samplesNanoseconds: samples.map { UInt64($0) }, medianNanoseconds: 1,
            lowNanoseconds: 1, highNanoseconds: 1)
    }

    private static func report(rows: Int) -> BenchReport {
        BenchReport(
            preset: "quick", seed: 1,
            environment: Environment(
                machine: "m", cpu: "c", cores: 1, memoryBytes: 1, operatingSystem: "o",
                swift: "s", sqlite: "3", build: "release"),
            results: [
                BenchResult(
                    workload: "full", file: "f", sentence: "s", parameters: [],
                    strategies: [
                        StrategyResult(
                            name: "full", sentence: "s", counts: BenchCounts(rows: rows),
                            statements: [], checksum: "abc")
                    ])
            ])
    }
}
