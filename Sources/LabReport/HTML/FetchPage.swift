import LabResults
import ReportParts

/// A self-contained page that compares several strategies for one fetch. The command `fetch` writes
/// it.
package enum FetchPage {
    static let file = "fetch.html"

    package static func text(_ report: FetchReport) -> String {
        let rows = Figures.count(report.rowsInStore, "row")
        var body: [HTML] = [
            .element(
                "p", [HTML("\(rows) in "), .code(report.store), HTML(", tried on a copy.")]),
            .text("pre", ["tabindex": "0"], report.request.joined(separator: "\n")),
        ]
        body += verdict(report.verdict)
        body += [
            .text("h2", "Side by side"),
            .block("div", ["class": "charts"], charts(report)),
            HTMLTable.render(
                FetchText.overview(report),
                caption: "Counts are exact; times are medians, to compare the variants"),
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

    private static func verdict(_ verdict: FetchVerdict) -> [HTML] {
        var table = Table([.init("for"), .init("best"), .init("why"), .init("write")])
        for choice in verdict.choices {
            table.add([
                choice.purpose, choice.ways.joined(separator: " or "), choice.reason,
                choice.code.joined(separator: " "),
            ])
        }
        var parts: [HTML] = [
            .text("h2", "Verdict"),
            HTMLTable.render(
                table, caption: "Counts decide; a difference below 5 % is a tie"),
        ]
        if let index = verdict.index {
            let times = FetchText.times(index).map { " \($0)" } ?? ""
            parts += [
                .text("h3", "Index"), .paragraph(index.reason + times),
                .text(
                    "pre", ["tabindex": "0"], FetchText.plans(index).joined(separator: "\n")),
            ]
            if !index.code.isEmpty {
                parts += listing(index.code)
            }
        }
        if !verdict.code.isEmpty {
            parts.append(.text("h3", "For a list on a screen"))
            parts += listing(verdict.code)
        }
        return parts
    }

    private static func listing(_ lines: [String]) -> [HTML] {
        let code = lines.joined(separator: "\n")
        return [
            .text("pre", ["tabindex": "0"], code),
            .element("p", [CopyButton.button("Copy", copies: code)]),
        ]
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
