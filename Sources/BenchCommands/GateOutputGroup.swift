import ArgumentParser
import BenchReporting
import BenchResults
import CommandLineSupport
import ReportParts

/// The outputs to which `gate` and `compare` write their verdicts.
package struct GateOutputGroup: ParsableArguments {
    @Option(help: "The format of the verdict: text, markdown, json or junit.")
    package var format: Format = .text

    @Option(help: ArgumentHelp("Write the verdict as JUnit XML as well.", valueName: "file"))
    package var junit: String?

    @Option(
        help: ArgumentHelp(
            "Append the verdict in Markdown, as to $GITHUB_STEP_SUMMARY.", valueName: "file"))
    package var summary: String?

    @Flag(help: "Print a GitHub annotation for each cause, with file and line.")
    package var annotations = false

    package init() {}

    /// Whether there is any output in addition to the verdict itself.
    var writes: Bool { annotations || junit != nil || summary != nil }

    func write(_ verdict: GateVerdict) throws {
        Console.write(try format.text(verdict))
        if let junit { try Places.write(JUnit.text(verdict), to: junit) }
        if let summary { try Places.append(GateMarkdown.page(verdict), to: summary) }
        if annotations { Console.write(GateAnnotations.text(verdict)) }
    }
}
