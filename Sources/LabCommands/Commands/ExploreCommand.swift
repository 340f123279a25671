import ArgumentParser
import CommandLineSupport
import LabRunner

package struct ExploreCommand: StatusCommand {
    package static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Runs every interleaving of one scenario, and counts its outcomes.",
        examples: ["explore two-raises.yaml", "explore two-raises.yaml --save before.json"])

    @Argument(help: "A scenario file.")
    package var path: String

    @OptionGroup var scenarios: ScenarioOptionsGroup

    @OptionGroup var store: StoreGroup

    @Flag(help: "Show from which step on a bad outcome or a finding is certain.")
    var certainty = false

    @OptionGroup var output: RunOutputGroup

    package init() {}

    package func status() throws -> ExitStatus {
        let progress = ProgressLine()
        defer { progress.finish() }
        var options = scenarios.suiteOptions
        try store.apply(to: &options)
        options.timelines = output.timelines
        options.certainty = certainty
        options.notes = { note in
            progress.finish()
            Console.note(note.text)
        }
        let report = try ScenarioSuite(options).explore(path, progress: progress.sink)
        progress.finish()
        try output.write(report, isFull: true)
        return ExitStatus(report, requiresFixtures: scenarios.requireFixtures)
    }
}
