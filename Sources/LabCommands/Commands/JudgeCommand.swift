import ArgumentParser
import CommandLineSupport
import LabFiles
import LabRunner

package struct JudgeCommand: StatusCommand {
    package static let configuration = CommandConfiguration(
        commandName: "judge",
        abstract: "Names the lost and stale values that recordings already show.",
        discussion: """
            A recorder writes a recording, a JSON file, next to its scenario and transcript. The \
            findings name the contexts, the values and the lines of the transcript. A recording is \
            one schedule; 'explore' runs the other orders from the scenario.

            Exit codes: 0 no finding; 1 findings; 2 a recording could not be used.
            """,
        examples: ["judge recorded-1.json", "judge Recordings/*.json --format json"])

    /// The format in which findings are printed.
    package enum Format: String, ExpressibleByArgument, CaseIterable, Sendable { case text, json }

    @Argument(help: "Recordings: JSON files that a recorder wrote.")
    package var paths: [String]

    @Option(help: "The format of the findings: text or json.")
    package var format: Format = .text

    @Flag(help: "Count every finding, also those that a program may intend, such as phantoms.")
    package var all = false

    package init() {}

    package func status() throws -> ExitStatus {
        // All recordings are read before the first report, so that an error is not overlooked.
        let reports = try paths.map {
            try Lab.judge(recording: $0, fails: all ? .all : .recordedLosses)
        }
        switch format {
        case .text: for report in reports { Console.write("\(report)\n") }
        case .json: Console.write(try ResultFile.text(reports))
        }
        return reports.allSatisfy(\.findings.isEmpty) ? .expected : .failed
    }
}
