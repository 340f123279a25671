import BenchReporting
import BenchResults
import CommandLineSupport
import LabBench
import LabCommands
import LabReport
import LabRunner
import ReportParts

/// The tool without a command: runs the catalogue, and writes a folder with reports.
enum Overview {
    static let folder = "Reports"

    /// Runs the policy matrix, the scenario catalogue and the quick workloads. Writes the folder
    /// with reports.
    static func run() throws -> ExitStatus {
        let progress = ProgressLine()
        defer { progress.finish() }
        let scenarios = [Places.inRoot("Scenarios")]
        var options = SuiteOptions()
        options.wantsVariants = true
        let matrix = try ScenarioSuite(options).matrix(
            scenarios, progress: progress.sink("1 of 3, matrix: "))
        let check = try Expectation.check(matrix, Places.inRoot(Expectation.file))
        options.timelines = .telling
        let run = try ScenarioSuite(options).run(
            scenarios, progress: progress.sink("2 of 3, scenarios: "))
        let bench = try BenchSuite.run(
            [Places.inRoot("Workloads")], options: BenchOptions(),
            progress: progress.sink("3 of 3, bench: "))
        progress.finish()

        let site = ReportSite(
            [try .matrix(matrix, check: check), try .run(run), try .bench(bench)],
            command: "./faultline")
        let target = Places.inRoot(folder)
        try Places.write(site.files(), below: target)
        let terminal = Console.terminal
        let parts = [
            MatrixText(matrix, terminal: terminal).short(),
            RunText(run, terminal: terminal).short(), BenchText(bench, terminal: terminal).short(),
        ]
        Console.write(parts.joined(separator: "\n"))
        Console.write("\n\(target)/index.html\n")
        return .worst([
            Expectation.status(check, matrix), ExitStatus(run, requiresFixtures: false),
            bench.isAsExpected ? .expected : .failed,
        ])
    }
}
