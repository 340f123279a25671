import ArgumentParser
import CommandLineSupport
import LabRunner

package struct BlessCommand: StatusCommand {
    package static let configuration = CommandConfiguration(
        commandName: "bless",
        abstract: "Shows how transcripts of pinned schedules have changed, and accepts them.",
        examples: ["bless", "bless two-tills.yaml"])

    @Argument(help: "Scenario files, or folders of scenario files. By default: Scenarios.")
    package var paths: [String] = []

    @Flag(help: "Show the changes and write nothing.")
    package var dryRun = false

    @OptionGroup var scenarios: ScenarioOptionsGroup

    package init() {}

    package func status() throws -> ExitStatus {
        let changes = try scenarios.suite.goldenChanges(
            Places.paths(paths, default: "Scenarios"))
        for change in changes {
            Console.write("\(change.old == nil ? "new" : "changed") \(change.path)\n")
            Console.write(Self.difference(change))
            if !dryRun { try Places.write(change.new, to: change.path) }
        }
        if changes.isEmpty { Console.write("every transcript is unchanged\n") }
        return dryRun && !changes.isEmpty ? .failed : .expected
    }

    private static func difference(_ change: GoldenChange) -> String {
        let old = (change.old ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        let new = change.new.split(separator: "\n", omittingEmptySubsequences: false)
        let steps = new.difference(from: old)
        return steps.map { step in
            switch step {
            case .remove(_, let line, _): "  - \(line)\n"
            case .insert(_, let line, _): "  + \(line)\n"
            }
        }.joined()
    }
}
