import BenchResults
import LabBench
import Testing

@Suite struct GateTests {
    @Test func `a run equal to its baseline passes`() {
        let report = Self.report([Self.result()])
        let verdict = Gate.compare(report, baseline: report, name: "b.json")
        #expect(verdict.status == .passed)
        #expect(verdict.exitCode == 0)
        #expect(verdict.compared > 0)
        #expect(verdict.differences.isEmpty && verdict.missing.isEmpty)
    }

    @Test func `a statement that appeared fails the gate and is named`() throws {
        let verdict = Gate.compare(
            Self.report([Self.result(extra: [Self.count(of: "SELECT COUNT(*) FROM ZAUTHOR", 1)])]),
            baseline: Self.report([Self.result()]), name: "b.json")
        #expect(verdict.exitCode == 1)
        let difference = try #require(verdict.differences.first)
        #expect(difference.effect == .regression)
        #expect(difference.metric == "statements.select")
        #expect(difference.baseline == "1" && difference.current == "2")
        #expect(
            difference.statements == [
                "`SELECT COUNT(*) FROM ZAUTHOR` appeared (expected 0, observed 1)"
            ])
        #expect(
            difference.message
                == "full, full-fetch: select statements: expected 1, observed 2; "
                + "`SELECT COUNT(*) FROM ZAUTHOR` appeared (expected 0, observed 1)")
    }

    @Test func `a statement that runs more often fails the gate and is named`() throws {
        let verdict = Gate.compare(
            Self.report([Self.result(selects: 3)]), baseline: Self.report([Self.result()]),
            name: "b.json")
        #expect(verdict.exitCode == 1)
        let difference = try #require(verdict.differences.first)
        #expect(difference.statements == ["`SELECT all` runs more often (expected 1, observed 3)"])
    }

    @Test func `fewer statements are an improvement, which passes and is reported`() throws {
        let verdict = Gate.compare(
            Self.report([Self.result(selects: 1)]),
            baseline: Self.report([Self.result(selects: 2)]), name: "b.json")
        #expect(verdict.exitCode == 0)
        let difference = try #require(verdict.differences.first)
        #expect(difference.effect == .improvement)
        #expect(difference.statements == ["`SELECT all` runs less often (expected 2, observed 1)"])
    }

    @Test func `a different statement fails although the number is equal`() {
        var other = Self.result(selects: 0, extra: [Self.count(of: "SELECT other", 1)])
        other.strategies[0].counts.statements["select"] = 1
        let verdict = Gate.compare(
            Self.report([other]), baseline: Self.report([Self.result()]), name: "b.json")
        #expect(verdict.exitCode == 1)
        #expect(verdict.differences.map(\.effect) == [.change])
        #expect(
            verdict.differences.flatMap(\.statements) == [
                "`SELECT other` appeared (expected 0, observed 1)",
                "`SELECT all` is gone (expected 1, observed 0)",
            ])
    }

    @Test func `more rows, faults or virtual machine steps fail the gate`() {
        let changes: [(String, (inout BenchCounts) -> Void)] = [
            ("rows", { $0.rows += 1 }), ("faults", { $0.faults += 1 }),
            ("vm-steps", { $0.vmSteps += 1 }),
            ("relationship-faults", { $0.relationshipFaults += 1 }),
            ("prefetches", { $0.prefetches += 1 }), ("row-cache-hits", { $0.rowCacheHits -= 1 }),
        ]
        for (metric, change) in changes {
            var result = Self.result()
            change(&result.strategies[0].counts)
            let verdict = Gate.compare(
                Self.report([result]), baseline: Self.report([Self.result()]), name: "b.json")
            #expect(verdict.exitCode == 1, "\(metric)")
            #expect(verdict.differences.map(\.metric) == [metric])
        }
    }

    @Test func `virtual machine steps are not compared between two versions of SQLite`() {
        var result = Self.result()
        result.strategies[0].counts.vmSteps += 1
        let verdict = Gate.compare(
            Self.report([result]), baseline: Self.report([Self.result()], sqlite: "3.99"),
            name: "b.json")
        #expect(verdict.exitCode == 0)
    }

    @Test func `a different result fails the gate`() {
        var result = Self.result()
        result.strategies[0].checksum = "beef"
        let verdict = Gate.compare(
            Self.report([result]), baseline: Self.report([Self.result()]), name: "b.json")
        #expect(verdict.exitCode == 1)
        #expect(verdict.differences.map(\.metric) == ["checksum"])
    }

    @Test func `a broken prediction fails the gate whatever the baseline says`() {
        var result = Self.result()
        result.strategies[0].expectations = [
            CountExpectation(count: "select", expression: "0 + 0", expected: 0, seen: 1)
        ]
        let report = Self.report([result])
        let verdict = Gate.compare(report, baseline: report, name: "b.json")
        #expect(verdict.exitCode == 1)
        #expect(
            verdict.differences.map(\.message) == [
                "full, full-fetch: the file predicts select = 0 + 0 = 0, observed 1"
            ])
    }

    @Test func `a comparison without any measurement is inconclusive`() {
        let empty = Self.report([])
        #expect(Gate.compare(empty, baseline: empty, name: "b.json").exitCode == 3)
    }

    @Test func `a missing and an unknown workload are inconclusive and named`() {
        let (one, two) = (Self.result(), Self.result(workload: "other"))
        let missing = Gate.compare(
            Self.report([one]), baseline: Self.report([one, two]), name: "b.json")
        #expect(missing.exitCode == 3)
        #expect(missing.missing == ["other, full-fetch: is in the baseline, but not in this run"])
        let unknown = Gate.compare(
            Self.report([one, two]), baseline: Self.report([one]), name: "b.json")
        #expect(unknown.exitCode == 3)
        #expect(unknown.missing == ["other, full-fetch: is in this run, but not in the baseline"])
    }

    @Test func `an unknown workload passes if new ones are allowed, and is named`() {
        let (one, two) = (Self.result(), Self.result(workload: "other"))
        let verdict = Gate.compare(
            Self.report([one, two]), baseline: Self.report([one]), name: "b.json",
            allowsNew: true)
        #expect(verdict.exitCode == 0)
        #expect(verdict.missing.isEmpty && verdict.added == ["other, full-fetch"])
    }

    @Test func `sizes that differ from the baseline's are not compared`() {
        var result = Self.result(selects: 9)
        result.parameters = [.init("authors", "5")]
        let verdict = Gate.compare(
            Self.report([result]), baseline: Self.report([Self.result()]), name: "b.json")
        #expect(verdict.exitCode == 3)
        #expect(verdict.differences.isEmpty)
        #expect(
            verdict.missing == [
                "full, full-fetch: measured with authors=5, but the baseline was measured with "
                    + "authors=3"
            ])
    }

    @Test func `a regression outweighs a missing workload`() {
        let verdict = Gate.compare(
            Self.report([Self.result(selects: 2)]),
            baseline: Self.report([Self.result(), Self.result(workload: "other")]), name: "b.json")
        #expect(verdict.exitCode == 1)
    }

    @Test func `a baseline keeps counts and predictions and drops figures of the machine`() {
        var result = Self.result()
        result.strategies[0].time = Timing(
            samplesNanoseconds: [1], medianNanoseconds: 1, lowNanoseconds: 1, highNanoseconds: 1)
        result.strategies[0].peakMemoryBytes = 5
        result.strategies[0].twin = TwinResult(
            sentence: "s", statements: [], rows: 1, vmSteps: 1, checksum: "abc")
        let kept = Gate.baseline(from: Self.report([result]))
        #expect(kept == Self.report([Self.result()]))
    }

    private static func report(_ results: [BenchResult], sqlite: String = "3.40.1") -> BenchReport {
        BenchReport(
            preset: "smoke", seed: 1,
            environment: Environment(
                machine: "m", cpu: "c", cores: 1, memoryBytes: 1, operatingSystem: "o", swift: "s",
                sqlite: sqlite, build: "release"),
            results: results)
    }

    private static func count(of text: String, _ count: Int) -> StatementCount {
        StatementCount(kind: "select", text: text, count: count)
    }

    private static func result(
        workload: String = "full", selects: Int = 1, extra: [StatementCount] = []
    ) -> BenchResult {
        let statements = (selects > 0 ? [count(of: "SELECT all", selects)] : []) + extra
        let counts = BenchCounts(
            statements: ["select": statements.reduce(0) { $0 + $1.count }], rows: 10, vmSteps: 100,
            faults: 4, rowCacheHits: 2, relationshipFaults: 1, prefetches: 1)
        return BenchResult(
            workload: workload, file: "full.yaml", sentence: "s",
            parameters: [.init("authors", "3")],
            strategies: [
                StrategyResult(
                    name: "full-fetch", sentence: "s", counts: counts, statements: statements,
                    checksum: "abc")
            ])
    }
}
