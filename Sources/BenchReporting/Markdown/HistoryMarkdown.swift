import BenchResults
import ReportParts

/// The trends over saved results as Markdown. The text and HTML forms use the same tables.
package enum HistoryMarkdown {
    /// Shows each figure as a small chart of block characters, and a list of the results.
    static func page(_ history: BenchHistory) -> String {
        let changes = history.changes.map { "- \(Markdown.text($0))\n" }.joined()
        return """
            # Trends

            \(introduction(history))

            \(changes.isEmpty ? "" : "Counts that the newest result changed:\n\n\(changes)\n")\
            \(table(history).markdown())
            ## The results

            \(runs(history).withoutEmptyColumns().markdown())
            \(machines(history))

            """
    }

    package static func text(_ history: BenchHistory) -> String {
        table(history).text() + history.changes.map { "changed: \($0)\n" }.joined()
    }

    static func introduction(_ history: BenchHistory) -> String {
        let results = Figures.count(history.runs.count, "saved result")
        return "\(results), from the oldest commit to the newest. Counts are exact; times "
            + "depend on the machine. The ratio to C's times depends on the machine far less; "
            + "without a C side, it is the ratio to a fixed piece of work in C."
    }

    static func titles(_ lines: [BenchHistory.Line]) -> [String] {
        var titles: [String] = []
        for series in lines.flatMap(\.series) where !titles.contains(series.title) {
            titles.append(series.title)
        }
        return titles
    }

    private static func table(_ history: BenchHistory) -> Table {
        let lines = history.lines
        let titles = titles(lines)
        var table = Table([.init("workload"), .init("strategy")] + titles.map { .init($0) })
        for line in lines {
            table.add(
                [line.workload, line.strategy]
                    + titles.map { title in
                        line.series.first { $0.title == title }.map(cell) ?? ""
                    })
        }
        return table
    }

    /// A small chart and the newest value, such as `▁▁▃█ 12`.
    private static func cell(_ series: BenchHistory.Series) -> String {
        let now = series.values[series.values.count - 1].map(series.text) ?? ""
        return blocks(series.values) + " " + now
    }

    private static func blocks(_ values: [Double?]) -> String {
        let known = values.compactMap(\.self)
        guard let low = known.min(), let high = known.max() else { return "" }
        let blocks = Array("▁▂▃▄▅▆▇█")
        return String(
            values.map { value in
                guard let value else { return " " }
                return high > low
                    ? blocks[Int((value - low) / (high - low) * Double(blocks.count - 1))]
                    : blocks[0]
            })
    }

    static func runs(_ history: BenchHistory) -> Table {
        var table = Table([
            .init("commit"), .init("committed"), .init("subject"), .init("measured"),
            .init("preset"), .init("file"),
        ])
        for run in history.runs {
            let origin = run.report.origin
            table.add([
                run.label, origin?.committed ?? "", origin?.subject ?? "",
                origin?.measured ?? "", run.report.preset, run.file,
            ])
        }
        return table
    }

    static func machines(_ history: BenchHistory) -> String {
        var machines: [String] = []
        for run in history.runs {
            let facts = BenchText.facts(run.report.environment)
            if !machines.contains(facts) { machines.append(facts) }
        }
        return "Measured on \(machines.joined(separator: "; ")). `+` after a commit: files "
            + "differed from it."
    }
}
