import LabResults

/// The HTML page of a bench report; the report site writes it.
enum BenchPage {
    static let file = "bench.html"

    static func page(_ report: BenchReport) -> Page {
        Page(
            title: "Faults, batches and prefetching", file: file,
            body: [
                .paragraph(
                    "The same work done in several ways, and once more in C against SQLite in the "
                        + "same run. Counts are exact and do not depend on the machine. Times do: "
                        + "they are indicative, and only the ratio to C compares."),
                .paragraph(
                    "Measured on \(BenchText.facts(report.environment)). Preset \(report.preset), "
                        + "seed \(report.seed).", class: "soft"),
                warnings(report),
                contents(report), .text("h2", "Side by side"),
                .block("div", ["class": "charts"], BenchCharts.overview(report)),
                HTMLTable.render(
                    BenchText.overview(report).withoutEmptyColumns(),
                    caption: "Every strategy of every workload"),
                PeerTables.section(report),
            ] + report.results.enumerated().map { section($0.element, $0.offset) },
            footer: BenchText.label(report.environment))
    }

    private static func warnings(_ report: BenchReport) -> HTML {
        let warnings = report.warnings ?? []
        guard !warnings.isEmpty else { return .empty }
        return .element("ul", ["class": "soft"], warnings.map { .text("li", $0) })
    }

    private static func contents(_ report: BenchReport) -> HTML {
        .element(
            "ul", [:],
            report.results.enumerated().map { index, result in
                .element(
                    "li", [:],
                    [
                        .link(result.workload, to: "#\(anchor(index))"),
                        HTML(": \(result.sentence)"),
                    ])
            })
    }

    private static func anchor(_ index: Int) -> String { "workload-\(index + 1)" }

    private static func section(_ result: BenchResult, _ index: Int) -> HTML {
        .block(
            "section", ["id": anchor(index)],
            [
                .text("h2", result.workload), .paragraph(result.sentence),
                .element(
                    "p", ["class": "soft"],
                    [
                        HTML("File: "), .code(result.file), HTML(". Parameters: "),
                        .code(result.parameterText),
                    ]),
                .block("div", ["class": "charts"], BenchCharts.all(result)),
                HTMLTable.render(
                    BenchText.counts(result).withoutEmptyColumns(),
                    caption: "Counts of \(result.workload): exact, on any machine"),
                HTMLTable.render(
                    BenchText.times(result).withoutEmptyColumns(),
                    caption: "Times of \(result.workload): indicative, on the machine above"),
                figures(BenchText.figures(result), "Figures of \(result.workload)"),
                figures(BenchText.derived(result), "What follows from them"),
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
