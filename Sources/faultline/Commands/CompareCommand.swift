import ArgumentParser
import LabBench
import LabCommands
import LabReport
import LabResults

struct CompareCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compares two saved bench results; fails if the second is worse.")

    @Argument(help: "The earlier result.")
    var before: String

    @Argument(help: "The later result.")
    var after: String

    @Option(help: "How the verdict is written: text, markdown, json or junit.")
    var format: Format = .text

    func status() throws -> ExitStatus {
        let verdict = Gate.compare(
            try Places.benchReport(after), baseline: try Places.benchReport(before), name: before,
            times: .throughC)
        Console.write(try format.text(verdict))
        return ExitStatus(verdict)
    }
}
