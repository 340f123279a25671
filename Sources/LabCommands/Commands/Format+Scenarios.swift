import ArgumentParser
import CommandLineSupport
import LabFiles
import LabReport
import LabResults
import ReportParts

extension Format {
    func text(_ report: RunReport, isFull: Bool) throws -> String {
        let text = RunText(report, terminal: Console.terminal)
        return switch self {
        case .text: isFull ? text.full() : text.compact()
        case .markdown: RunMarkdown.page(report, title: "Scenarios")
        case .json: try ResultFile.text(report)
        case .junit: JUnit.text(report)
        }
    }

    func text(_ matrix: MatrixResult) throws -> String {
        switch self {
        case .text: MatrixText(matrix, terminal: Console.terminal).full()
        case .markdown: MatrixMarkdown.page(matrix)
        case .json: try ResultFile.text(matrix)
        case .junit: throw ValidationError("matrix does not support --format junit; use run")
        }
    }
}
