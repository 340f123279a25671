import ReportParts

/// The HTML page with the trends over saved results.
enum HistoryPage {
    static let file = "history.html"

    static func page(_ history: BenchHistory) -> Page {
        Page(
            title: "Trends", file: file,
            body: [
                .paragraph(HistoryMarkdown.introduction(history)),
                changes(history), table(history), .text("h2", "The results"), runs(history),
            ], footer: HistoryMarkdown.machines(history), scripts: [TableTools.script])
    }

    private static func changes(_ history: BenchHistory) -> HTML {
        let changes = history.changes
        guard !changes.isEmpty else { return .empty }
        return HTML([
            .text("h2", "Counts that the newest result changed"),
            .element("ul", changes.map { .text("li", $0) }),
        ])
    }

    private static func table(_ history: BenchHistory) -> HTML {
        let lines = history.lines
        let titles = HistoryMarkdown.titles(lines)
        let columns = (["workload", "strategy"] + titles).map { Table.Column($0) }
        let rows = lines.map { line in
            HTML.element(
                "tr",
                [
                    .text("th", ["scope": "row"], line.workload),
                    HTMLTable.cell([HTML(line.strategy)], of: columns[1]),
                ]
                    + columns.dropFirst(2).map { column in
                        let series = line.series.first { $0.title == column.title }
                        return HTMLTable.cell(series.map(cell) ?? [], of: column)
                    })
        }
        return HTMLTable.wrap(
            caption: "Each figure from the oldest result to the newest, with the newest value",
            head: HTMLTable.head(columns), rows: rows, filters: ["workload"])
    }

    private static func cell(_ series: BenchHistory.Series) -> [HTML] {
        let picture = TrendLine(title: series.title, values: series.values, text: series.text)
            .picture
        let now = series.values[series.values.count - 1].map(series.text) ?? ""
        let look = series.isExact && series.change != nil ? "badge warn" : "number"
        return [.text("span", ["class": look], now), HTML(" "), picture]
    }

    private static func runs(_ history: BenchHistory) -> HTML {
        let table = HistoryMarkdown.runs(history)
        return HTMLTable.render(table.withoutEmptyColumns(), caption: "From the oldest commit on")
    }
}
