import ArgumentParser
import LabBench
import LabReport
import LabResults

struct GateCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Measures workloads and fails if a count is worse than in a baseline.")

    @OptionGroup var measuring: BenchOptionsGroup

    @Option(help: ArgumentHelp("The saved result to compare with.", valueName: "file"))
    var baseline: String

    @Option(help: "How the verdict is written: text, markdown, json or junit.")
    var format: Format = .text

    @Option(help: ArgumentHelp("Write what was measured as JSON.", valueName: "file"))
    var save: String?

    func status() throws -> ExitStatus {
        let before = try Places.benchReport(baseline)
        let now = try measuring.measure(like: before)
        if let save { try Places.write(try ResultFile.text(now), to: save) }
        let verdict = Gate.compare(now, baseline: before, name: baseline)
        Console.write(try format.text(verdict))
        return ExitStatus(verdict)
    }
}
