import ArgumentParser
import CommandLineSupport
import LabRunner

package struct LintCommand: StatusCommand {
    package static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Checks scenario files: errors with their positions, and likely mistakes.",
        examples: ["lint", "lint two-raises.yaml"])

    @Argument(help: "Scenario files, or folders of scenario files. By default: Scenarios.")
    package var paths: [String] = []

    @Flag(help: "Only read the files; do not run them to find outcomes that never happen.")
    package var withoutRunning = false

    @Flag(help: "Exit with 1 if there are warnings.")
    package var strict = false

    @OptionGroup var scenarios: ScenarioOptionsGroup

    package init() {}

    package func status() throws -> ExitStatus {
        let progress = ProgressLine()
        defer { progress.finish() }
        let report = try scenarios.suite.lint(
            Places.paths(paths, default: "Scenarios"), runs: !withoutRunning,
            progress: progress.sink)
        progress.finish()
        for warning in report.warnings { Console.write("\(warning)\n") }
        let files = report.files == 1 ? "1 file" : "\(report.files) files"
        let warnings =
            report.warnings.count == 1 ? "1 warning" : "\(report.warnings.count) warnings"
        Console.write("\(files), \(report.warnings.isEmpty ? "no warnings" : warnings)\n")
        return strict && !report.warnings.isEmpty ? .failed : .expected
    }
}
