import BenchResults
import LabBench
import Testing

/// Tests of comparing the times of two separate runs, for operations without a C baseline.
@Suite struct TimesApartTests {
    private func timing(_ middle: Double, rounds: Int) -> Timing {
        let samples = (0..<rounds).map { UInt64(middle * (1 + Double($0 % 3) / 100)) }
        return Timing(
            samplesNanoseconds: samples, medianNanoseconds: samples[0],
            lowNanoseconds: samples[0], highNanoseconds: samples[0])
    }

    /// A report with these times in microseconds.
    private func report(
        _ time: Double?, yardstick: Double? = 500, rounds: Int = 5, cpu: String = "c"
    ) -> BenchReport {
        var report = BenchReport(
            preset: "quick", seed: 1,
            environment: Environment(
                machine: "m", cpu: cpu, cores: 1, memoryBytes: 1, operatingSystem: "o",
                swift: "s", sqlite: "3", build: "release"),
            results: [
                BenchResult(
                    workload: "own", file: "main.swift", line: 3, sentence: "s", parameters: [],
                    strategies: [
                        StrategyResult(
                            name: "own", sentence: "s", counts: BenchCounts(), statements: [],
                            time: time.map { timing($0 * 1_000, rounds: rounds) }, checksum: "1")
                    ])
            ])
        report.yardstick = yardstick.map { timing($0 * 1_000, rounds: rounds) }
        return report
    }

    private func verdict(_ now: BenchReport, _ before: BenchReport) -> GateVerdict {
        Gate.compare(now, baseline: before, name: "before.json", times: .apart)
    }

    @Test(arguments: [2, 3, 5, 9])
    func `a time ten times slower fails, even with only two rounds`(rounds: Int) throws {
        let result = verdict(report(5_000, rounds: rounds), report(500, rounds: 5))
        #expect(result.exitCode == 1)
        #expect(result.differences.map(\.metric) == ["ratio-to-yardstick"])
    }

    @Test func `the same time passes, also if the whole machine is half as fast`() {
        #expect(verdict(report(500), report(500)).exitCode == 0)
        let slowDay = verdict(report(1_000, yardstick: 1_000), report(500))
        #expect(slowDay.exitCode == 0)
        #expect(slowDay.times?.map(\.verdict) == [.same])
    }

    @Test func `times that cannot be compared are reported, and the gate does not pass`() {
        let other = verdict(report(500, cpu: "d"), report(500))
        #expect(other.exitCode == 3)
        #expect(other.missing[0].hasPrefix("times were not compared: before.json was measured on"))
        let old = verdict(report(500), report(500, yardstick: nil))
        #expect(old.exitCode == 3)
        #expect(old.missing[0].contains("before.json has no yardstick"))
        let counts = verdict(report(500), report(nil))
        #expect(counts.exitCode == 3)
        #expect(counts.missing == ["times were not compared: before.json has no times"])
        let once = verdict(report(500, rounds: 1), report(500))
        #expect(once.exitCode == 3)
        #expect(once.missing[0].contains("one round is not enough to compare times"))
    }

    @Test func `rounds ended by time or failure are compared with the yardstick of those rounds`() {
        var now = report(5_000, rounds: 5)
        now.results[0].strategies[0].time = timing(5_000_000, rounds: 3)
        #expect(verdict(now, report(500)).differences.map(\.metric) == ["ratio-to-yardstick"])
        now.results[0].strategies[0].time = timing(500_000, rounds: 3)
        let same = verdict(now, report(500))
        #expect(same.exitCode == 0 && same.times?.map(\.verdict) == [.same])
    }

    @Test func `a large change that is hidden by scatter does not pass`() {
        var now = report(5_000, rounds: 3)
        now.results[0].strategies[0].time?.samplesNanoseconds = [5_000_000, 500_000, 6_000_000]
        let result = verdict(now, report(500))
        #expect(result.times?.map(\.verdict) == [.unresolved])
        #expect(result.exitCode == 3)
        #expect(result.missing[0].contains("varies too much for a verdict"))
    }

    @Test func `results that have only counts are compared without times`() {
        #expect(verdict(report(nil), report(nil)).exitCode == 0)
    }

    @Test func `few samples show a large change but not a small one`() {
        let judgement = TimeJudgement(threshold: 1.1)
        #expect(judgement.judge(before: [10, 11, 12], now: [100, 110, 120]).verdict == .regressed)
        #expect(judgement.judge(before: [100, 110], now: [10, 11]).verdict == .improved)
        #expect(judgement.judge(before: [10, 11, 12], now: [20, 22, 24]).verdict == .unresolved)
        #expect(judgement.judge(before: [10], now: [100]).verdict == .unresolved)
    }
}
