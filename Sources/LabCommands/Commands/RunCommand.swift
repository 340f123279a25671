import ArgumentParser
import CommandLineSupport
import LabRunner

package struct RunCommand: StatusCommand {
    package static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs scenarios and their cures in every cell, and checks their outcomes.",
        examples: ["run", "run Scenarios two-raises.yaml --verbose"])

    @Argument(help: "Scenario files, or folders of scenario files. By default: Scenarios.")
    package var paths: [String] = []

    @OptionGroup var scenarios: ScenarioOptionsGroup

    @OptionGroup var store: StoreGroup

    @OptionGroup var output: RunOutputGroup

    @Flag(help: "Show outcomes and findings of every scenario, not only of failed ones.")
    package var verbose = false

    package init() {}

    package func status() throws -> ExitStatus {
        let progress = ProgressLine()
        defer { progress.finish() }
        var options = scenarios.suiteOptions
        try store.apply(to: &options)
        options.timelines = output.timelines
        let report = try ScenarioSuite(options).run(
            Places.paths(paths, default: "Scenarios"), progress: progress.sink)
        progress.finish()
        try output.write(report, isFull: verbose)
        return ExitStatus(report, requiresFixtures: scenarios.requireFixtures)
    }
}
