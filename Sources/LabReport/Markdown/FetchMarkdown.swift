import LabResults

/// One fetch in several ways as a Markdown page.
///
/// The command `fetch` writes it.
package enum FetchMarkdown {
    /// The page: the ways side by side, then each one's statements.
    package static func page(_ report: FetchReport) -> String {
        let notes = report.notes.map { "- \(Markdown.text($0))\n" }.joined()
        return """
            # A fetch of \(Markdown.text(report.entity))

            \(Figures.count(report.rowsInStore, "row")) in \(Markdown.code(report.store)), tried \
            on a copy.

            \(Markdown.block(report.request.joined(separator: "\n"), language: "swift"))
            \(FetchText.overview(report).markdown())
            \(FetchText.footer(report))

            \(notes)
            \(report.strategies.map(way).joined(separator: "\n"))
            """
    }

    private static func way(_ way: FetchStrategy) -> String {
        let listing = way.statements.map(FetchText.listing).joined(separator: "\n")
        return "## \(way.name)\n\n\(Markdown.text(way.sentence))\n\n"
            + Markdown.block(listing, language: "sql")
    }
}
