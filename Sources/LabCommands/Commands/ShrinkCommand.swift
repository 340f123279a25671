import ArgumentParser
import CommandLineSupport
import LabRunner

package struct ShrinkCommand: StatusCommand {
    package static let configuration = CommandConfiguration(
        commandName: "shrink",
        abstract: "Shrinks a scenario to a small one with the same finding or outcome.",
        discussion: """
            Writes NAME-small.yaml, and prints one paragraph for an issue tracker. As a \
            reproduction the file passes while the bug can be seen, and has a golden transcript; \
            as a test it fails while the bug can be seen. The new file is run before it is \
            returned. Exit code 3 if the time ran out before the scenario was as small as possible.
            """,
        examples: ["shrink 'TOKEN'", "shrink 'TOKEN' --as test --out Tests"])

    @Argument(help: "A token, or a scenario file.")
    package var subject: String

    @Option(help: "The name of the finding; by default the first one.")
    package var finding: String?

    @Flag(help: "Keep the outcome of the token's schedule, or the worst one of the file.")
    package var toOutcome = false

    @Option(name: .customLong("as"), help: "The form of the output: reproduction or test.")
    package var kind = ShrunkScenario.Kind.reproduction

    @Option(
        name: .customLong("in"), parsing: .upToNextOption,
        help: "Folders to search for a token's scenario by name. By default: Scenarios.")
    package var places: [String] = []

    @Option(help: ArgumentHelp("Stop shrinking after this time.", valueName: "seconds"))
    package var timeBudget = 60.0

    @Option(help: ArgumentHelp("The folder to write into.", valueName: "folder"))
    package var out = "."

    @OptionGroup var outside: OutsideGroup

    package init() {}

    package func validate() throws {
        if toOutcome, finding != nil {
            throw ValidationError("give --finding or --to-outcome")
        }
        guard timeBudget > 0, timeBudget < 1e9 else {
            throw ValidationError("--time-budget must be a number of seconds above 0")
        }
    }

    package func status() throws -> ExitStatus {
        let progress = ProgressLine()
        defer { progress.finish() }
        let small = try outside.suite.shrink(
            subject, finding: finding, toOutcome: toOutcome, as: kind,
            in: Places.paths(places, default: "Scenarios"), budget: .seconds(timeBudget),
            progress: progress.sink)
        progress.finish()
        let file = "\(out)/\(small.name).yaml"
        try Places.write(small.yaml, to: file)
        if let golden = small.golden {
            try Places.write(golden.text, to: "\(out)/golden/\(golden.name)")
        }
        Console.write(small.paragraph)
        Console.note(
            "\(file): \(small.sessions) sessions, \(small.steps) steps, after"
                + " \(small.executions) schedules")
        if small.isUnfinished {
            Console.note("the time ran out; the scenario may not be as small as possible")
        }
        return small.isUnfinished ? .inconclusive : .expected
    }
}

extension ShrunkScenario.Kind: ExpressibleByArgument {}
