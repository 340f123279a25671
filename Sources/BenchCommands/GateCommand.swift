import ArgumentParser
import BenchResults
import CommandLineSupport
import Foundation
import LabBench
import LabFiles

package struct GateCommand: StatusCommand {
    package static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Measures workloads and fails if one is worse than before.",
        discussion: """
            Counts are compared exactly, times only as ratios of samples that were taken side by \
            side. A workload that fails is measured a second time, and is a failure if it fails \
            again. Exit codes: 0 passed; 1 a regression; 2 an input cannot be used; 3 nothing, or \
            not everything, was compared.
            """,
        examples: [
            "gate --baseline baseline.json", "gate --base main --rounds 9 --annotations",
            "gate --base-build ../before/faultline --junit gate.xml", "gate --self-test 20",
        ])

    @OptionGroup package var measuring: BenchOptionsGroup

    @Option(help: ArgumentHelp("A saved result to compare the counts with.", valueName: "file"))
    package var baseline: String?

    @Option(
        help: ArgumentHelp(
            "A commit to build in a temporary folder and to measure side by side.",
            valueName: "git-ref"))
    package var base: String?

    @Option(
        help: ArgumentHelp(
            "Another build of this program to measure side by side.", valueName: "program"))
    package var baseBuild: String?

    @Option(
        help: ArgumentHelp(
            "Compare this build with itself n times; each comparison must pass.", valueName: "times"
        ))
    package var selfTest: Int?

    @Flag(help: "Report workloads that the base lacks as new; otherwise the exit code is 3.")
    package var allowNew = false

    @OptionGroup package var limits: ThresholdsGroup

    @OptionGroup package var output: GateOutputGroup

    @Option(help: ArgumentHelp("Write the measurements as JSON.", valueName: "file"))
    package var save: String?

    package init() {}

    package func validate() throws {
        let given = [baseline != nil, base != nil, baseBuild != nil, selfTest != nil]
        guard given.count(where: { $0 }) == 1 else {
            throw ValidationError(
                "give one of --baseline FILE, --base GIT-REF, --base-build PROGRAM, --self-test N")
        }
        if selfTest != nil, output.writes || save != nil {
            throw ValidationError(
                "--self-test writes its own lines; leave --save, --junit, --summary and"
                    + " --annotations out")
        }
        if let selfTest, selfTest < 1 { throw ValidationError("--self-test must be at least 1") }
    }

    package func status() throws -> ExitStatus {
        let thresholds = try limits.read(beside: measuring.files)
        if let selfTest { return try testItself(selfTest, thresholds) }
        let saved = try baseline.map { try Places.benchReport($0) }
        let progress = ProgressLine()
        defer { progress.finish() }
        var run = GateRun(
            files: measuring.files, options: try measuring.options(like: saved),
            thresholds: thresholds, base: try gateBase(saved, progress))
        run.allowsNew = allowNew
        var (verdict, report) = try run.verdict(progress: progress.sink)
        progress.finish()
        report.origin = BenchProgram.origin
        if let save { try Places.write(try ResultFile.text(report), to: save) }
        try output.write(verdict)
        return ExitStatus(verdict)
    }

    private func gateBase(_ saved: BenchReport?, _ progress: ProgressLine) throws -> GateBase {
        if let saved, let baseline { return .file(saved, name: baseline) }
        if let base {
            let build = BaseBuild(
                folder: BenchProgram.packageFolder, product: ProgramName.text,
                progress: progress.sink)
            guard let program = try build.program(of: base) else {
                return .nothing(name: base, product: ProgramName.text)
            }
            return .build(ProcessLauncher(executable: program), name: base)
        }
        guard let program = baseBuild else {
            throw ValidationError("give --base-build PROGRAM")
        }
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw InputError(
                file: program, problem: "this program does not exist",
                remedy: "name a build of \(ProgramName.text)")
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
}
