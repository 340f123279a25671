// Owns the values of `--format` that commands share.

import ArgumentParser
import LabReport
import LabResults

/// How results are written.
enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case markdown
    case json
    case junit
}

extension Format {
    func text(_ report: BenchReport) throws -> String {
        switch self {
        case .text: BenchText(report, terminal: Console.terminal).text()
        case .markdown: BenchMarkdown.page(report)
        case .json: try ResultFile.text(report)
        case .junit: throw ValidationError("a bench has no JUnit form; use gate or compare")
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
