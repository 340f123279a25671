// Owns the HTML page of a bench report; the report site writes it.

import LabResults

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
                contents(report), .text("h2", "Side by side"),
                .block("div", ["class": "charts"], BenchCharts.overview(report)),
                HTMLTable.render(
                    BenchText.overview(report).withoutEmptyColumns(),
                    caption: "Every strategy of every workload"),
            ] + report.results.enumerated().map { section($0.element, $0.offset) },
            footer: BenchText.label(report.environment))
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
            ] + result.strategies.map(statements))
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

/// The comparisons of one workload that a picture helps with.
enum BenchCharts {
    static func all(_ result: BenchResult) -> [HTML] {
        guard result.strategies.count > 1 else {
            return [times(result), ratios(result)].compactMap { $0.figure() }
        }
        return [statements(result), faults(result), times(result), ratios(result)]
            .compactMap { $0.figure() }
    }

    /// All ways of reading next to each other: how many SELECTs, and how long.
    static func overview(_ report: BenchReport) -> [HTML] {
        let reading = report.results.flatMap { result in
            result.strategies.filter { $0.counts.statements.keys.allSatisfy { $0 == "select" } }
                .map { (name: label(result, $0), strategy: $0) }
        }
        guard reading.count > 1 else { return [] }
        let selects = BarChart(
            title: "SELECT statements of each way of reading",
            bars: reading.map { name, strategy in
                let count = strategy.counts.statementTotal
                return .init(label: name, value: Double(count), text: Figures.count(count))
            })
        let times = BarChart(
            title: "Time of each way of reading, median (indicative)",
            bars: reading.compactMap { name, strategy in bar(name, strategy.time, isTwin: false) })
        return [selects, times].compactMap { $0.figure() }
    }

    private static func label(_ result: BenchResult, _ strategy: StrategyResult) -> String {
        result.strategies.count == 1 ? result.workload : "\(result.workload) \(strategy.name)"
    }

    private static func statements(_ result: BenchResult) -> BarChart {
        BarChart(
            title: "SQL statements",
            bars: result.strategies.map { strategy in
                let total = strategy.counts.statementTotal
                return .init(
                    label: strategy.name, value: Double(total), text: Figures.count(total))
            })
    }

    private static func faults(_ result: BenchResult) -> BarChart {
        BarChart(
            title: "Faults fired",
            bars: result.strategies.map { strategy in
                let total = strategy.counts.faults + strategy.counts.relationshipFaults
                return .init(
                    label: strategy.name, value: Double(total), text: Figures.count(total))
            })
    }

    private static func times(_ result: BenchResult) -> BarChart {
        BarChart(
            title: "Time, median with 95 % interval (indicative)",
            bars: result.strategies.flatMap { strategy in
                [bar(strategy.name, strategy.time, isTwin: false)]
                    + [bar("the same in C", strategy.twin?.time, isTwin: true)]
            }.compactMap(\.self))
    }

    private static func bar(_ label: String, _ time: Timing?, isTwin: Bool) -> BarChart.Bar? {
        time.map { time in
            .init(
                label: label, value: Double(time.medianNanoseconds),
                text: Figures.time(time.medianNanoseconds), low: Double(time.lowNanoseconds),
                high: Double(time.highNanoseconds), isTwin: isTwin)
        }
    }

    private static func ratios(_ result: BenchResult) -> BarChart {
        BarChart(
            title: "Time as a multiple of C's, in the same run",
            bars: result.strategies.compactMap { strategy in
                strategy.twin?.ratio.map { ratio in
                    .init(
                        label: strategy.name, value: ratio.median,
                        text: Figures.ratio(ratio.median),
                        low: ratio.low, high: ratio.high)
                }
            })
    }
}
