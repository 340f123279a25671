import LabResults
import ReportParts

/// A Markdown page that compares several strategies for one fetch. The command `fetch` writes it.
package enum FetchMarkdown {
    package static func page(_ report: FetchReport) -> String {
        let notes = report.notes.map { "- \(Markdown.text($0))\n" }.joined()
        return """
            # A fetch of \(Markdown.text(report.entity))

            \(Figures.count(report.rowsInStore, "row")) in \(Markdown.code(report.store)), tried \
            on a copy.

            \(Markdown.block(report.request.joined(separator: "\n"), language: "swift"))
            \(verdict(report.verdict))
            ## Side by side

            \(FetchText.overview(report).markdown())
            \(FetchText.footer(report))

            \(notes)
            \(report.strategies.map(way).joined(separator: "\n"))
            """
    }

    private static func verdict(_ verdict: FetchVerdict) -> String {
        var parts = ["## Verdict\n"]
        parts.append(
            verdict.choices.map { choice in
                let code = choice.code.map { " \(Markdown.code($0))" }.joined()
                return "- \(Markdown.text(FetchText.sentence(choice)))\(code)\n"
            }.joined())
        if let index = verdict.index {
            let times = FetchText.times(index).map { " \($0)" } ?? ""
            parts.append("### Index\n\n\(Markdown.text(index.reason + times))\n")
            let plans = FetchText.plans(index).joined(separator: "\n")
            parts.append(Markdown.block(plans, language: "diff"))
            if !index.code.isEmpty {
                let code = index.code.joined(separator: "\n")
                parts.append(Markdown.block(code, language: "swift"))
            }
        }
        if !verdict.code.isEmpty {
            let code = verdict.code.joined(separator: "\n")
            parts.append("For a list on a screen:\n\n" + Markdown.block(code, language: "swift"))
        }
        return parts.joined(separator: "\n")
    }

    private static func way(_ way: FetchStrategy) -> String {
        let listing = way.statements.map(FetchText.listing).joined(separator: "\n")
        return "## \(way.name)\n\n\(Markdown.text(way.sentence))\n\n"
            + Markdown.block(listing, language: "sql")
    }
}
