import BenchOperations
import BenchResults
import Foundation
import LabBench
import LabFiles
import Synchronization
import Testing

/// A folder with workload files. It is removed with this object.
final class Folder {
    let path: String

    init(_ text: String) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("faultline-suite-\(UUID().uuidString)")
        path = folder.path
        BuiltInOperations.add()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try add("tiny.yaml", text)
    }

    func add(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A launcher that returns a wrong number of rows in the engine's first sample.
final class FailingOnce: SampleLauncher {
    private let isFirst = Mutex(true)

    func launch(_ request: SampleRequest) throws(MeasurementError) -> SampleReply {
        var reply = try InProcessLauncher().launch(request)
        let fails = isFirst.withLock { isFirst in
            guard request.pass == .counting, request.side == .engine else { return false }
            defer { isFirst = false }
            return isFirst
        }
        if fails { reply.counts.rows += 1 }
        return reply
    }
}

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
        _ text: String, allowsDebugBuild: Bool = true, plant: Plant? = nil,
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
            plant: plant)
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
            try run(text, plant: .statement), baseline: baseline, name: "b.json")
        #expect(planted.exitCode == 1)
        let named = planted.differences.first { $0.metric == "statements.select" }
        let statement = try #require(named?.statements.first)
        #expect(statement.contains("SELECT COUNT"))
        #expect(statement.contains("appeared (expected 0, observed 1); plan: SCAN"))
        let broken = planted.differences.filter { $0.metric == "expect select" }
        #expect(broken.count == 2)
    }

    /// A planted defect and the operation that has it. The message of the gate must contain the
    /// texts.
    struct Planted: Sendable, CustomTestStringConvertible {
        var plant: Plant
        var operation: String
        var metric: String
        /// The texts that the line about the SQL statement must contain.
        var named: [String]

        var testDescription: String { plant.rawValue }
    }

    @Test(arguments: [
        Planted(
            plant: .prefetch, operation: "prefetch-to-many", metric: "statements.select",
            named: ["t0.ZAUTHOR = ?", "appeared", "plan: SEARCH"]),
        Planted(
            plant: .index, operation: "read-to-many", metric: "vm-steps",
            named: ["t0.ZAUTHOR = ?", "VM steps", "plan: SCAN"]),
        Planted(
            plant: .index, operation: "read-to-many", metric: "plan",
            named: ["t0.ZAUTHOR = ?", "plan: SCAN"]),
        Planted(
            plant: .fault, operation: "fire-faults", metric: "statements.select",
            named: ["t0.Z_PK = ?", "runs more often (expected 15, observed 30)"]),
    ])
    func `a planted regression fails the gate with the name of its statement`(planted: Planted)
        throws
    {
        let text = """
            name: planted
            about: A sentence.
            operation: \(planted.operation)
            data: {authors: 3, books: 5, title-bytes: 10}
            """
        let baseline = Gate.baseline(from: try run(text))
        let verdict = Gate.compare(
            try run(text, plant: planted.plant), baseline: baseline, name: "b.json")
        #expect(verdict.exitCode == 1)
        let difference = verdict.differences.first {
            $0.metric == planted.metric && $0.effect == .regression
        }
        let statement = try #require(difference?.statements.first)
        for piece in planted.named { #expect(statement.contains(piece), "\(statement)") }
    }

    @Test func `a build compared with itself passes twenty times out of twenty`() throws {
        let folder = try Folder(text)
        let gate = GateRun(
            files: [folder.path],
            options: BenchOptions(
                preset: BenchPreset(name: "smoke", rounds: 1, runs: 1, warmUps: 0),
                launcher: InProcessLauncher(), allowsDebugBuild: true),
            base: .build(InProcessLauncher(), name: "itself"))
        for _ in 1...20 {
            let verdict = try gate.verdict().verdict
            #expect(verdict.exitCode == 0)
            #expect(verdict.times?.count == 2)
        }
    }

    @Test func `the commit that adds the program has no base to compare, which an option allows`()
        throws
    {
        let folder = try Folder(
            "name: pages\nabout: Counts.\noperation: count\nexpect: {select: 1}\n")
        var run = GateRun(
            files: [folder.path],
            options: BenchOptions(
                preset: BenchPreset(name: "smoke", rounds: 1, runs: 1, warmUps: 0),
                launcher: InProcessLauncher(), allowsDebugBuild: true),
            base: .nothing(name: "main", product: "shelf-bench"))
        let refused = try run.verdict().verdict
        #expect(refused.exitCode == 3)
        #expect(
            refused.missing
                == [
                    "main has no product shelf-bench; to accept all workloads as new, add"
                        + " --allow-new"
                ])
        run.allowsNew = true
        let passed = try run.verdict().verdict
        #expect(passed.exitCode == 0 && passed.missing.isEmpty)
        #expect(passed.added == ["pages, count"])
    }

    @Test func `a difference that a second measurement does not confirm is not a failure`() throws {
        let folder = try Folder(text)
        var options = BenchOptions(
            preset: BenchPreset(name: "smoke", rounds: 1, runs: 1, warmUps: 0),
            launcher: InProcessLauncher(), allowsDebugBuild: true)
        let baseline = Gate.baseline(
            from: try BenchSuite.run([folder.path], options: options))
        options.launcher = FailingOnce()
        let verdict = try GateRun(
            files: [folder.path], options: options, base: .file(baseline, name: "b.json")
        ).verdict().verdict
        #expect(verdict.exitCode == 0)
        #expect(verdict.differences.isEmpty)
        #expect(verdict.unconfirmed?.isEmpty == false)
    }

    @Test func `every strategy has an exponent if the preset scales`() throws {
        let folder = try Folder(
            """
            name: scaled
            about: A sentence.
            operation: full-fetch
            data: {authors: 100, books: 2, title-bytes: 10}
            """)
        var preset = BenchPreset(name: "smoke", rounds: 1, runs: 1, warmUps: 0)
        preset.scales = true
        let report = try BenchSuite.run(
            [folder.path],
            options: BenchOptions(
                preset: preset, launcher: InProcessLauncher(), allowsDebugBuild: true))
        let scaling = try #require(report.results[0].strategies[0].scaling)
        #expect(scaling.points.map(\.size) == [2, 20, 200])
        #expect(scaling.unit == "books")
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
        // One process creates the data. Each strategy has two sides, the engine and the C baseline.
        // Each side has a counting pass and two timed rounds. The engine also has a pass that
        // counts allocations.
        #expect(seen.map(\.completed) == Array(0...15))
        #expect(seen.allSatisfy { $0.total == 15 })
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
