import LabResults
import ReportParts

/// The report of an SQL log as a Markdown page. The command `sql` writes it.
package enum SQLLogMarkdown {
    package static func page(_ report: SQLReport) -> String {
        var parts = [
            "# SQL of \(Markdown.text(report.log))\n", SQLLogText.summary(report.totals) + ".\n",
        ]
        if !report.limits.isEmpty {
            parts += ["## Limits\n", SQLLogText.limits(report).markdown()]
        }
        parts.append("## Findings\n")
        if report.findings.isEmpty { parts.append("No problems found.\n") }
        parts += report.findings.map(finding)
        if let comparison = report.comparison { parts.append(compared(comparison)) }
        parts += [
            "## Statements\n", SQLLogText.statements(report, textMax: 300).markdown(),
        ]
        if !report.notes.isEmpty {
            parts.append(report.notes.map { "- \(Markdown.text($0))\n" }.joined())
        }
        return parts.joined(separator: "\n")
    }

    private static func finding(_ finding: SQLFinding) -> String {
        var parts = [
            "### \(finding.kind.rawValue): \(Markdown.text(finding.title))\n",
            "\(SQLLogText.cost(finding)); \(SQLLogText.place(finding))\n",
        ]
        if let origin = finding.origin {
            parts.append("Began at \(Markdown.text(SQLLogText.origin(origin))).\n")
        }
        parts.append(Markdown.text(finding.advice) + "\n")
        if let code = finding.code { parts.append(Markdown.block(code, language: "swift")) }
        let sql = [finding.statement].compactMap(\.self) + finding.plan.map { "-- " + $0 }
        if !sql.isEmpty {
            parts.append(Markdown.block(sql.joined(separator: "\n"), language: "sql"))
        }
        return parts.joined(separator: "\n")
    }

    private static func compared(_ comparison: SQLComparison) -> String {
        var parts = [
            "## Compared with \(Markdown.text(comparison.before))\n",
            "Before: \(SQLLogText.summary(comparison.totals)).\n",
            comparison.changes.isEmpty
                ? SQLLogText.unchanged(comparison) + "\n"
                : SQLLogText.changes(comparison, textMax: 300).markdown(),
        ]
        let changes =
            comparison.appeared.map { "- New: \(Markdown.text($0))\n" }
            + comparison.vanished.map { "- Gone: \(Markdown.text($0))\n" }
        if !changes.isEmpty { parts.append(changes.joined()) }
        return parts.joined(separator: "\n")
    }
}
