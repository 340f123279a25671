import ArgumentParser
import CommandLineSupport
import LabResults
import LabRunner

package struct ReplayCommand: StatusCommand {
    package static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Runs the interleaving of a token twice and prints its transcript.",
        discussion: """
            Exit code 4 if the two runs differ in a single byte, 5 if the file has changed since \
            the token was made. A schedule whose file has changed runs nevertheless, with its \
            steps found by name.
            """,
        examples: ["replay 'TOKEN'", "replay 'TOKEN' --in two-raises.yaml"])

    @Argument(help: "A token that a report or a failed test printed.")
    package var token: String

    @Option(
        name: .customLong("in"), parsing: .upToNextOption,
        help: "Folders to search for the scenario by its name. By default: Scenarios.")
    package var places: [String] = []

    @Flag(help: "Print the transcript of the second run too.")
    package var twice = false

    @Flag(help: "Exit with the status of the schedule's outcome even if the file has changed.")
    package var acceptEdits = false

    @OptionGroup var outside: OutsideGroup

    @OptionGroup var store: StoreGroup

    package init() {}

    package func status() throws -> ExitStatus {
        var suite = outside.suite
        try store.apply(to: &suite.options)
        let replay = try suite.replay(
            token, in: Places.paths(places, default: "Scenarios"))
        Console.write(replay.first)
        if twice || replay.first != replay.second { Console.write(replay.second) }
        for adaptation in replay.adaptations { Console.note(adaptation) }
        guard replay.first == replay.second else {
            Console.note("faultline: the two runs differ")
            return .nondeterministic
        }
        if !replay.adaptations.isEmpty, !acceptEdits {
            Console.note("pass --accept-edits to replay the schedule in the edited file")
            return .edited
        }
        return ExitStatus(RunReport(scenarios: [replay.result]), requiresFixtures: false)
    }
}
