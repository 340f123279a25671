import BenchResults
import ReportParts

/// The HTML page of a benchmark report.
enum BenchPage {
    static let file = "bench.html"

    static func page(_ report: BenchReport) -> Page {
        var anchors = Anchors()
        let ids = report.results.map { anchors.id("workload", $0.workload) }
        return Page(
            title: "Faults, batches and prefetching", file: file,
            body: [
                numbers(report, ids),
                .paragraph(
                    "The same work by several strategies, and in C against SQLite in the "
                        + "same run. Counts are exact and do not depend on the machine. Times do; "
                        + "they are indicative, and only the ratio to C is comparable."),
                .paragraph(
                    "Measured on \(BenchText.facts(report.environment)). Preset \(report.preset), "
                        + "seed \(report.seed).\(timeBudget(report))\(origin(report))",
                    class: "soft"),
                notes(report), .text("h2", "Side by side"),
                .block("div", ["class": "charts"], BenchCharts.overview(report)),
                HTMLTable.render(
                    BenchText.overview(report).withoutEmptyColumns(),
                    caption: "Every strategy of every workload", filters: ["workload"]),
                PeerTables.section(report),
            ] + zip(report.results, ids).map { section($0, $1) },
            footer: BenchText.label(report.environment), scripts: [TableTools.script])
    }

    private static func numbers(_ report: BenchReport, _ ids: [String]) -> HTML {
        let table = BenchText.numbers(report).withoutEmptyColumns()
        let rows = zip(zip(table.rows, report.results), ids).map { row, id in
            HTML.element(
                "tr", ["title": row.1.sentence],
                [.element("th", ["scope": "row"], [.link(row.0[0], to: "#\(id)")])]
                    + zip(row.0, table.columns).dropFirst().map {
                        HTMLTable.cell([HTML($0)], of: $1)
                    })
        }
        return HTMLTable.wrap(
            caption: "Each workload, from its best to its worst strategy",
            head: HTMLTable.head(table.columns), rows: rows, filters: [])
    }

    private static func timeBudget(_ report: BenchReport) -> String {
        BenchText.timeBudget(report).map { " " + $0 } ?? ""
    }

    private static func origin(_ report: BenchReport) -> String {
        guard let origin = report.origin else { return "" }
        return " Commit \(origin.commit.prefix(12))\(origin.isChanged ? " with changes" : ""), "
            + "\(origin.measured)."
    }

    /// The strategies that could not be measured, and the reasons why times are less precise.
    private static func notes(_ report: BenchReport) -> HTML {
        let items =
            BenchText.failures(report).map { HTML.text("li", ["class": "bad"], $0) }
            + (report.warnings ?? []).map { .text("li", $0) }
        return items.isEmpty ? .empty : .element("ul", ["class": "soft"], items)
    }

    private static func section(_ result: BenchResult, _ id: String) -> HTML {
        .block(
            "section", ["id": id],
            [
                .text("h2", result.workload), .paragraph(result.sentence),
                .element(
                    "p", ["class": "soft"],
                    [
                        HTML("File: "),
                        .code(result.file + (result.line.map { ":\($0)" } ?? "")),
                        HTML(result.parameters.isEmpty ? "." : ". Parameters: "),
                        result.parameters.isEmpty ? .empty : .code(result.parameterText),
                    ]),
                .block("div", ["class": "charts"], BenchCharts.all(result)),
                HTMLTable.render(
                    BenchText.counts(result).withoutEmptyColumns(),
                    caption: "Counts of \(result.workload): exact, on any machine"),
                HTMLTable.render(
                    BenchText.times(result).withoutEmptyColumns(),
                    caption: "Times of \(result.workload): indicative, on the machine above"),
                figures(BenchText.figures(result), "Figures of \(result.workload)"),
                figures(BenchText.derived(result), "Derived figures of \(result.workload)"),
                figures(BenchText.peers(result), "The same work in other programs"),
                explanation(result),
            ] + result.strategies.map(statements))
    }

    private static func figures(_ table: Table?, _ caption: String) -> HTML {
        table.map { HTMLTable.render($0.withoutEmptyColumns(), caption: caption) } ?? .empty
    }

    private static func explanation(_ result: BenchResult) -> HTML {
        HTML(Explanation.sentences(result).map { .paragraph($0) })
    }

    private static func statements(_ strategy: StrategyResult) -> HTML {
        let total = Figures.count(strategy.counts.statementTotal, "statement")
        let notes = Advice.notes(strategy)
        return .block(
            "details", [:],
            [
                .element("summary", [.code(strategy.name), HTML(": SQL, \(total)")]),
                .paragraph(strategy.sentence),
                notes.isEmpty ? .empty : .element("ul", notes.map { .text("li", $0) }),
                .text(
                    "pre", ["tabindex": "0"], BenchMarkdown.listing(strategy.statements)),
                twin(strategy.twin),
            ])
    }

    private static func twin(_ twin: TwinResult?) -> HTML {
        guard let twin else { return .empty }
        return HTML([
            .paragraph("In C against SQLite: \(twin.sentence)"),
            .text("pre", ["tabindex": "0"], BenchMarkdown.listing(twin.statements)),
        ])
    }
}
