import BenchReporting
import BenchResults
import LabBench
import ReportParts
import Synchronization
import Testing

/// A launcher that makes chosen processes fail or return a wrong result.
private final class UnreliableLauncher: SampleLauncher {
    enum Outcome: Sendable { case good, fails, differs }

    private let timed = Mutex<[String: Int]>([:])
    private let outcome: @Sendable (SampleRequest, _ round: Int) -> Outcome

    /// - Parameter outcome: the simulated outcome of a process. The argument `round` counts from 1.
    ///   It is 0 for a pass that is not timed.
    init(_ outcome: @escaping @Sendable (SampleRequest, Int) -> Outcome) { self.outcome = outcome }

    func launch(_ request: SampleRequest) throws(MeasurementError) -> SampleReply {
        var round = 0
        if request.pass == .timing {
            let key = "\(request.operation) \(request.side)"
            round = timed.withLock { timed in
                timed[key, default: 0] += 1
                return timed[key] ?? 0
            }
        }
        let outcome = outcome(request, round)
        if outcome == .fails { throw MeasurementError("the disk is full") }
        var reply = try InProcessLauncher().launch(request)
        if outcome == .differs { reply.checksum += "0" }
        return reply
    }
}

/// Tests that a benchmark run continues after one of its workloads has failed.
@Suite struct BenchFailureTests {
    private let folder: Folder

    init() throws {
        folder = try Folder(
            """
            name: tiny
            about: A sentence.
            operation: full-fetch
            data: {authors: 2, books: 3, title-bytes: 10}
            """)
        try folder.add(
            "walk.yaml",
            """
            name: walk
            about: A sentence.
            operation: read-to-many
            data: {authors: 2, books: 3, title-bytes: 10}
            """)
    }

    private func options(
        rounds: Int = 3,
        _ outcome: @escaping @Sendable (SampleRequest, Int) -> UnreliableLauncher.Outcome
    ) -> BenchOptions {
        BenchOptions(
            preset: BenchPreset(name: "smoke", rounds: rounds, runs: 1, warmUps: 0),
            launcher: UnreliableLauncher(outcome), allowsDebugBuild: true)
    }

    private func run(
        rounds: Int = 3,
        _ outcome: @escaping @Sendable (SampleRequest, Int) -> UnreliableLauncher.Outcome
    ) throws -> BenchReport {
        try BenchSuite.run([folder.path], options: options(rounds: rounds, outcome))
    }

    @Test func `a failed workload does not stop the others, and fails the gate at its line`() throws
    {
        let whole = try run { _, _ in .good }
        #expect(whole.failures == nil && whole.isAsExpected)
        #expect(whole.results.map(\.workload) == ["tiny", "walk"])

        let part = try run { request, _ in
            request.operation == "full-fetch" && request.pass != .prepare ? .fails : .good
        }
        #expect(part.results.map(\.workload) == ["walk"])
        #expect(part.results[0].strategies[0].time?.samplesNanoseconds.count == 3)
        let failure = try #require(part.failures?.first)
        #expect(part.failures?.count == 1 && !part.isAsExpected)
        #expect(failure.workload == "tiny" && failure.file == whole.results[0].file)
        #expect(failure.problem == "full-fetch, engine side: the disk is full")
        let said = "not measured completely: \(failure)"
        #expect(BenchText(part).text().contains(said))
        #expect(BenchMarkdown.page(part).contains("the disk is full"))
        let site = ReportSite([try .bench(part)]).files()
        #expect(site.contains { $0.name == "bench.html" && $0.text.contains(said) })

        let verdict = Gate.compare(part, baseline: whole, name: "b")
        #expect(verdict.status == .failed && verdict.missing.isEmpty)
        #expect(verdict.differences.map(\.metric) == ["measured"])
        #expect(verdict.causes.map(\.file) == [failure.file])
        #expect(GateAnnotations.text(verdict).contains("::error file=\(failure.file),line=1"))
    }

    @Test(arguments: [Side.engine, .twin])
    func `a failure in the last round keeps the results of the earlier rounds`(_ side: Side) throws
    {
        let report = try run { request, round in
            request.operation == "read-to-many" && request.side == side && round == 3
                ? .fails : .good
        }
        #expect(report.results.map(\.workload) == ["tiny", "walk"])
        let walk = report.results[1].strategies[0]
        #expect(walk.time?.samplesNanoseconds.count == 2)
        #expect(walk.twin?.time?.samplesNanoseconds.count == 2)
        #expect(walk.twin?.ratio != nil)
        #expect(report.failures?.map(\.workload) == ["walk"])
        #expect(report.failures?.first?.problem.hasSuffix("its figures come from 2 rounds") == true)
    }

    @Test func `a wrong result in the last round discards the workload's results`() throws {
        let report = try run { request, round in
            request.operation == "read-to-many" && request.side == .engine && round == 3
                ? .differs : .good
        }
        #expect(report.results.map(\.workload) == ["tiny"])
        #expect(report.failures?.map(\.workload) == ["walk"])
        #expect(report.failures?.first?.problem.contains("the result") == true)
    }

    @Test func `a run that could measure nothing fails with its first reason`() throws {
        let error = #expect(throws: BenchError.self) { try run { _, _ in .fails } }
        #expect(error?.exitCode == 70)
        let counted = #expect(throws: BenchError.self) {
            try run { request, _ in request.pass == .prepare ? .good : .fails }
        }
        #expect(counted?.description == "full-fetch, engine side: the disk is full")
    }

    @Test func `another build that fails in a round is left out and reported`() throws {
        let base = UnreliableLauncher { request, round in
            request.operation == "full-fetch" && round == 2 ? .fails : .good
        }
        let pair = try BenchSuite.runInSameRounds(
            base, [folder.path], options: options { _, _ in .good })
        #expect(pair.now.failures == nil)
        #expect(pair.now.results.map(\.workload) == ["tiny", "walk"])
        #expect(pair.now.results[0].strategies[0].time?.samplesNanoseconds.count == 3)
        #expect(pair.base.results.map(\.strategies.count) == [0, 1])
        #expect(pair.refused.count == 1 && pair.refused[0].contains("the disk is full"))
    }

    @Test func `a gate reports a repeated failure together with all comparisons`() throws {
        let baseline = try run(rounds: 0) { _, _ in .good }
        let run = GateRun(
            files: [folder.path],
            options: options(rounds: 0) { request, _ in
                request.operation == "full-fetch" && request.pass == .counting ? .fails : .good
            }, base: .file(baseline, name: "b.json"))
        let verdict = try run.verdict().verdict
        #expect(verdict.exitCode == 1)
        #expect(verdict.differences.map(\.metric) == ["measured"])
        #expect(Set(verdict.subjects?.map(\.workload) ?? []) == ["tiny", "walk"])
    }
}
