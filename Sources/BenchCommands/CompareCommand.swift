import ArgumentParser
import CommandLineSupport
import LabBench

package struct CompareCommand: StatusCommand {
    package static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compares two saved bench results; fails if the second is worse.",
        discussion: """
            Counts are compared exactly. The two results were not measured side by side, so times \
            are compared as multiples of the time that the same work takes in C. Times of work \
            without a counterpart in C are compared as multiples of the time of a fixed piece of \
            work, the yardstick, and only if one machine measured both results. \
            Exit codes: 0 as good as before; 1 worse; 2 a file cannot be used; 3 nothing, or not \
            everything, was compared.
            """,
        examples: [
            "compare before.json after.json", "compare before.json after.json --format junit",
        ])

    @Argument(help: "The earlier result.")
    package var before: String

    @Argument(help: "The later result.")
    package var after: String

    @OptionGroup package var limits: ThresholdsGroup

    @OptionGroup package var output: GateOutputGroup

    package init() {}

    package func status() throws -> ExitStatus {
        let verdict = Gate.compare(
            try Places.benchReport(after), baseline: try Places.benchReport(before), name: before,
            thresholds: try limits.read(), times: .apart)
        try output.write(verdict)
        return ExitStatus(verdict)
    }
}
