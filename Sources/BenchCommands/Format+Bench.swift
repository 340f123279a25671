import ArgumentParser
import BenchReporting
import BenchResults
import CommandLineSupport
import LabFiles
import ReportParts

extension Format {
    func text(_ report: BenchReport) throws -> String {
        switch self {
        case .text: BenchText(report, terminal: Console.terminal).text()
        case .markdown: BenchMarkdown.page(report)
        case .json: try ResultFile.text(report)
        case .junit:
            throw ValidationError("bench does not support --format junit; use gate or compare")
        }
    }

    func text(_ verdict: GateVerdict) throws -> String {
        switch self {
        case .text: GateText(verdict, terminal: Console.terminal).text()
        case .markdown: GateMarkdown.page(verdict)
        case .json: try ResultFile.text(verdict)
        case .junit: JUnit.text(verdict)
        }
    }
}
