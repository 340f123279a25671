import Foundation
import LabBench
import LabResults
import Synchronization
import Testing

/// Whole runs of the bench on tiny data, in this process.
@Suite struct BenchSuiteTests {
    private let text = """
        name: tiny-batches
        about: A sentence.
        operation: batch-faults
        data: {authors: 3, books: 5, title-bytes: 10}
        parameters: {batch: [2, 4]}
        expect: {select: ceil(authors * books / batch) + 1}
        """

    private func run(
        _ text: String, allowsDebugBuild: Bool = true, plantsExtraStatement: Bool = false,
        overrides: [String] = [], progress: @escaping ProgressSink = { _ in }
    ) throws -> BenchReport {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("faultline-suite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(text.utf8).write(to: folder.appendingPathComponent("tiny.yaml"))
        let options = BenchOptions(
            preset: BenchPreset(name: "smoke", rounds: 2, runs: 2, warmUps: 1),
            overrides: try overrides.map { try ParameterOverride($0) },
            launcher: InProcessLauncher(), allowsDebugBuild: allowsDebugBuild,
            plantsExtraStatement: plantsExtraStatement)
        return try BenchSuite.run([folder.path], options: options, progress: progress)
    }

    @Test func `a run measures every variant on both sides and checks its predictions`() throws {
        let report = try run(text)
        let result = try #require(report.results.first)
        #expect(report.preset == "smoke")
        #expect(result.workload == "tiny-batches")
        #expect(result.parameterText == "authors=3 books=5 title-bytes=10 seed=1 twin=in-list")
        #expect(result.strategies.map(\.name) == ["batch=2", "batch=4"])
        for (strategy, selects) in zip(result.strategies, [9, 5]) {
            #expect(strategy.expectations.map(\.seen) == [selects])
            #expect(strategy.expectations.allSatisfy { $0.holds })
            #expect(strategy.time?.samplesNanoseconds.count == 2)
            let twin = try #require(strategy.twin)
            #expect(twin.checksum == strategy.checksum)
            #expect(twin.ratio != nil && twin.time?.samplesNanoseconds.count == 2)
            #expect(twin.statements.reduce(0) { $0 + $1.count } == selects)
        }
    }

    @Test func `two runs of a build pass the gate, a planted statement fails by name`() throws {
        let baseline = Gate.baseline(from: try run(text))
        let again = Gate.compare(try run(text), baseline: baseline, name: "b.json")
        #expect(again.exitCode == 0)
        #expect(again.differences.isEmpty)
        let planted = Gate.compare(
            try run(text, plantsExtraStatement: true), baseline: baseline, name: "b.json")
        #expect(planted.exitCode == 1)
        let named = planted.differences.first { $0.metric == "statements.select" }
        let statement = try #require(named?.statements.first)
        #expect(statement.contains("SELECT COUNT"))
        #expect(statement.hasSuffix("appeared (expected 0, seen 1)"))
        let broken = planted.differences.filter { $0.metric == "expect select" }
        #expect(broken.count == 2)
    }

    @Test func `an override changes the data and its predictions`() throws {
        let report = try run(text, overrides: ["books=1", "batch=3"])
        #expect(report.results[0].strategies.map(\.name) == ["batch-faults"])
        #expect(report.results[0].strategies[0].expectations.map(\.expected) == [2])
    }

    @Test func `progress counts up to its total`() throws {
        let updates = Mutex<[ProgressUpdate]>([])
        _ = try run(text) { update in updates.withLock { $0.append(update) } }
        let seen = updates.withLock { $0 }
        // One library, two variants on two sides, counted once and timed in two rounds.
        #expect(seen.map(\.completed) == Array(0...13))
        #expect(seen.allSatisfy { $0.total == 13 })
    }

    @Test func `a folder without workloads and a bad file are refused before anything runs`() {
        let empty = #expect(throws: BenchError.self) {
            try BenchSuite.run(
                [], options: BenchOptions(launcher: InProcessLauncher(), allowsDebugBuild: true))
        }
        #expect(empty?.exitCode == 3)
        let bad = #expect(throws: BenchError.self) { try run("name: a") }
        #expect(bad?.exitCode == 2)
        #expect(bad?.description.hasSuffix("write `about: …`") == true)
        let unknown = #expect(throws: BenchError.self) { try run(text, overrides: ["page=3"]) }
        #expect(unknown?.exitCode == 2)
    }

    #if DEBUG
        @Test func `a debug build is refused`() {
            let error = #expect(throws: BenchError.self) { try run(text, allowsDebugBuild: false) }
            #expect(error?.exitCode == 2)
            #expect(error?.description.contains("swift build -c release") == true)
        }
    #endif
}
