import LabResults

/// One fetch in several ways as one self-contained page.
///
/// The command `fetch` writes it.
package enum FetchPage {
    static let file = "fetch.html"

    /// The page's text.
    package static func text(_ report: FetchReport) -> String {
        let rows = Figures.count(report.rowsInStore, "row")
        var body: [HTML] = [
            .element(
                "p", [HTML("\(rows) in "), .code(report.store), HTML(", tried on a copy.")]),
            .text("pre", ["tabindex": "0"], report.request.joined(separator: "\n")),
            .text("h2", "Side by side"),
            .block("div", ["class": "charts"], charts(report)),
            HTMLTable.render(
                FetchText.overview(report),
                caption: "Counts are exact; times are medians, good for comparing the ways"),
        ]
        if !report.notes.isEmpty {
            body.append(.element("ul", report.notes.map { .text("li", $0) }))
        }
        body.append(.text("h2", "Statements"))
        body += report.strategies.map(way)
        let page = Page(
            title: "A fetch of \(report.entity)", file: file, body: body,
            footer: FetchText.footer(report), styles: [SQLStyle.text])
        return page.text(navigation: [PageLink("Fetch", file: file)])
    }

    private static func charts(_ report: FetchReport) -> [HTML] {
        [
            BarChart(
                title: "SQL statements",
                bars: report.strategies.map {
                    .init(
                        label: $0.name, value: Double($0.statementTotal),
                        text: Figures.count($0.statementTotal))
                }),
            BarChart(
                title: "Time to fetch and read, median",
                bars: report.strategies.map {
                    .init(
                        label: $0.name, value: Double($0.totalNanoseconds),
                        text: Figures.time($0.totalNanoseconds))
                }),
        ].compactMap { $0.figure() }
    }

    private static func way(_ way: FetchStrategy) -> HTML {
        .block(
            "section", ["class": "finding"],
            [
                .text("h3", way.name), .paragraph(way.sentence),
                .text(
                    "pre", ["tabindex": "0"],
                    way.statements.map(FetchText.listing).joined(separator: "\n\n")),
            ])
    }
}
