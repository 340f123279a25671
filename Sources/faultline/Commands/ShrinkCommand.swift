import ArgumentParser
import LabResults
import LabRunner

struct ShrinkCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "shrink",
        abstract: "Makes a scenario small while the same finding stands.",
        discussion: """
            Writes NAME-small.yaml with its golden transcript, and prints one paragraph for an \
            issue tracker. Exit code 3 if the time ran out before nothing more could be cut.
            """)

    @Argument(help: "A token of a finding, or a scenario file.")
    var subject: String

    @Option(help: "The name of the finding; without it the first one.")
    var finding: String?

    @Option(
        name: .customLong("in"), parsing: .upToNextOption,
        help: "Where a token's scenario is looked for by its name. Without any: Scenarios.")
    var places: [String] = []

    @Option(help: ArgumentHelp("Stop cutting after this time.", valueName: "seconds"))
    var timeBudget = 60.0

    @Option(help: ArgumentHelp("The folder to write into.", valueName: "folder"))
    var out = "."

    @OptionGroup var outside: OutsideGroup

    func validate() throws {
        guard timeBudget > 0, timeBudget < 1e9 else {
            throw ValidationError("--time-budget is a number of seconds above 0")
        }
    }

    func status() throws -> ExitStatus {
        let progress = ProgressLine()
        defer { progress.finish() }
        let small = try outside.suite.shrink(
            subject, finding: finding, in: Places.paths(places, default: "Scenarios"),
            budget: .seconds(timeBudget), progress: progress.sink)
        progress.finish()
        let file = "\(out)/\(small.name).yaml"
        try Places.write(small.yaml, to: file)
        try Places.write(small.golden, to: "\(out)/golden/\(small.goldenName)")
        Console.write(small.paragraph)
        Console.note(
            "\(file): \(small.sessions) sessions, \(small.steps) steps, after"
                + " \(small.executions) schedules")
        if small.isUnfinished { Console.note("the time ran out; there may be more to cut") }
        return small.isUnfinished ? .inconclusive : .expected
    }
}
