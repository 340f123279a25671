import ArgumentParser
import LabReport
import LabResults

/// How results are written.
package enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case markdown
    case json
    case junit
}

extension Format {
    package func text(_ report: RunReport, isFull: Bool) throws -> String {
        let text = RunText(report, terminal: Console.terminal)
        return switch self {
        case .text: isFull ? text.full() : text.compact()
        case .markdown: RunMarkdown.page(report, title: "Scenarios")
        case .json: try ResultFile.text(report)
        case .junit: JUnit.text(report)
        }
    }

    package func text(_ matrix: MatrixResult) throws -> String {
        switch self {
        case .text: MatrixText(matrix, terminal: Console.terminal).full()
        case .markdown: MatrixMarkdown.page(matrix)
        case .json: try ResultFile.text(matrix)
        case .junit: throw ValidationError("a matrix has no JUnit form; use run")
        }
    }

    package func text(_ report: BenchReport) throws -> String {
        switch self {
        case .text: BenchText(report, terminal: Console.terminal).text()
        case .markdown: BenchMarkdown.page(report)
        case .json: try ResultFile.text(report)
        case .junit: throw ValidationError("a bench has no JUnit form; use gate or compare")
        }
    }

    package func text(_ verdict: GateVerdict) throws -> String {
        switch self {
        case .text: GateText(verdict, terminal: Console.terminal).text()
        case .markdown: GateMarkdown.page(verdict)
        case .json: try ResultFile.text(verdict)
        case .junit: JUnit.text(verdict)
        }
    }
}
