import ArgumentParser
import BenchReporting
import BenchResults
import CommandLineSupport
import LabBench
import LabFiles
import ReportParts

package struct BenchCommand: StatusCommand {
    package static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract:
            "Measures workloads: statements, rows, faults, memory, time, and the same work in C.",
        examples: [
            "bench --preset smoke", "bench --rounds 9 --save after.json",
            "bench --preset smoke --counts-only --save baseline.json",
        ])

    @OptionGroup package var measuring: BenchOptionsGroup

    @Option(help: "The format of the results: text, markdown or json.")
    package var format: Format = .text

    @Option(help: ArgumentHelp("Write the result as JSON.", valueName: "file"))
    package var save: String?

    @Flag(help: "With --save: leave out times and memory, for a baseline to commit.")
    package var countsOnly = false

    @Option(help: ArgumentHelp("Compare the counts with a saved result.", valueName: "file"))
    package var baseline: String?

    @Option(help: ArgumentHelp("Write a folder with Markdown, HTML and JSON.", valueName: "folder"))
    package var report: String?

    package init() {}

    package func validate() throws {
        if countsOnly, save == nil { throw ValidationError("--counts-only needs --save FILE") }
        if format == .junit {
            throw ValidationError("bench does not support --format junit; use gate or compare")
        }
    }

    package func status() throws -> ExitStatus {
        let baseline = try baseline.map { try Places.benchReport($0) }
        var result = try measuring.measure()
        result.origin = BenchProgram.origin
        Console.write(try format.text(result))
        if let save {
            let saved = countsOnly ? Gate.baseline(from: result) : result
            try Places.write(try ResultFile.text(saved), to: save)
        }
        if let report {
            try Places.write(ReportSite([.bench(result)]).files(), below: report)
        }
        guard let baseline, let name = self.baseline else {
            // Without a baseline, the command fails only if a measurement failed or a prediction
            // was wrong.
            return result.isAsExpected ? .expected : .failed
        }
        let verdict = Gate.compare(result, baseline: baseline, name: name)
        Console.note(GateText(verdict).text())
        return ExitStatus(verdict)
    }
}
