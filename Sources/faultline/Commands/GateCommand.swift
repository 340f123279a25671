import ArgumentParser
import Foundation
import LabBench
import LabCommands
import LabReport
import LabResults

struct GateCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Measures workloads and fails if one is worse than before.",
        discussion: """
            Counts are compared exactly, times only as ratios of samples that were taken side by \
            side. What fails is measured a second time, and stays a failure only where it fails \
            again. Exit codes: 0 passed; 1 a regression; 2 an input cannot be used; 3 nothing, or \
            not everything, was compared.
            """)

    @OptionGroup var measuring: BenchOptionsGroup

    @Option(help: ArgumentHelp("A saved result to compare the counts with.", valueName: "file"))
    var baseline: String?

    @Option(
        help: ArgumentHelp(
            "A commit to build in a worktree and to measure side by side.", valueName: "git-ref"))
    var base: String?

    @Option(
        help: ArgumentHelp(
            "Another build of this program to measure side by side.", valueName: "program"))
    var baseBuild: String?

    @Option(
        help: ArgumentHelp(
            "Compare this build with itself so many times; each must pass.", valueName: "times"))
    var selfTest: Int?

    @Option(
        help: ArgumentHelp(
            "The limits; without it thresholds.yaml beside the workloads.", valueName: "file"))
    var thresholds: String?

    @Option(help: "How the verdict is written: text, markdown, json or junit.")
    var format: Format = .text

    @Option(help: ArgumentHelp("Write what was measured as JSON.", valueName: "file"))
    var save: String?

    @Option(help: ArgumentHelp("Write the verdict as JUnit XML as well.", valueName: "file"))
    var junit: String?

    @Option(
        help: ArgumentHelp(
            "Append the verdict in Markdown, as to $GITHUB_STEP_SUMMARY.", valueName: "file"))
    var summary: String?

    @Flag(help: "Print an annotation of GitHub's for each regression.")
    var annotations = false

    func validate() throws {
        let given = [baseline != nil, base != nil, baseBuild != nil, selfTest != nil]
        guard given.count(where: { $0 }) == 1 else {
            throw ValidationError(
                "give one of --baseline FILE, --base GIT-REF, --base-build PROGRAM, --self-test N")
        }
        let writes = annotations || [save, junit, summary].contains { $0 != nil }
        if selfTest != nil, writes {
            throw ValidationError(
                "--self-test writes its own lines; leave --save, --junit, --summary and"
                    + " --annotations out")
        }
        if let selfTest, selfTest < 1 { throw ValidationError("--self-test needs 1 or more") }
    }

    func status() throws -> ExitStatus {
        let limits = try readThresholds()
        if let selfTest { return try testItself(selfTest, limits) }
        let saved = try baseline.map { try Places.benchReport($0) }
        let run = GateRun(
            files: measuring.files, options: try measuring.options(like: saved),
            thresholds: limits, base: try gateBase(saved))
        let progress = ProgressLine()
        let (verdict, report) = try run.verdict(progress: progress.sink)
        progress.finish()
        if let save { try Places.write(try ResultFile.text(report), to: save) }
        Console.write(try format.text(verdict))
        if let junit { try Places.write(JUnit.text(verdict), to: junit) }
        if let summary { try Places.append(GateMarkdown.page(verdict), to: summary) }
        if annotations { Console.write(GateAnnotations.text(verdict)) }
        return ExitStatus(verdict)
    }

    private func gateBase(_ saved: BenchReport?) throws -> GateBase {
        if let saved, let baseline { return .file(saved, name: baseline) }
        if let base {
            Console.note("building \(base) in a worktree\n")
            let program = try BaseBuild.program(of: base, in: Places.root)
            return .build(ProcessLauncher(executable: program), name: base)
        }
        guard let program = baseBuild else {
            throw ValidationError("give --base-build PROGRAM")
        }
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw InputError(
                file: program, problem: "there is no such program",
                remedy: "name a build of faultline")
        }
        return .build(ProcessLauncher(executable: program), name: program)
    }

    private func testItself(_ times: Int, _ limits: Thresholds) throws -> ExitStatus {
        let run = GateRun(
            files: measuring.files, options: try measuring.options(), thresholds: limits,
            base: .build(ProcessLauncher(), name: "the same build"))
        let progress = ProgressLine()
        defer { progress.finish() }
        var statuses: [ExitStatus] = []
        for time in 1...times {
            let (verdict, _) = try run.verdict(progress: progress.sink)
            progress.finish()
            let first = verdict.differences.first { $0.effect != .improvement }
            Console.write(
                "\(time) of \(times): \(verdict.status.rawValue)"
                    + (first.map { ": " + $0.message } ?? "") + "\n")
            statuses.append(ExitStatus(verdict))
        }
        let passed = statuses.count { $0 == .expected }
        Console.write("\(passed) of \(times) comparisons of the build with itself passed\n")
        return .worst(statuses)
    }

    private func readThresholds() throws -> Thresholds {
        if let thresholds { return try Thresholds.read(thresholds) }
        let folders = measuring.files.flatMap {
            [$0, URL(fileURLWithPath: $0).deletingLastPathComponent().path]
        }
        let beside = folders.map { $0 + "/" + Thresholds.fileName }
            .first { FileManager.default.fileExists(atPath: $0) }
        return try beside.map { try Thresholds.read($0) } ?? Thresholds()
    }
}
