import LabResults
import ReportParts

/// A comparison of strategies for one fetch as text. The command `fetch` prints it. The Markdown
/// and HTML reports use its tables.
package struct FetchText {
    private let report: FetchReport
    private let terminal: Terminal

    package init(_ report: FetchReport, terminal: Terminal = .plain) {
        self.report = report
        self.terminal = terminal
    }

    package func text() -> String {
        let request = report.request.map { "  \($0)\n" }.joined()
        let notes = report.notes.map { "note: \($0)\n" }.joined()
        return """
            \(terminal.paint(report.entity, .bold)) in \(report.store): \
            \(Figures.count(report.rowsInStore, "row")); tried on a copy
            \(request)
            \(verdict())
            \(Self.overview(report).text())
            \(report.strategies.map(statements).joined(separator: "\n"))
            \(notes)\(Self.footer(report))

            """
    }

    // MARK: Verdict

    /// For example `reading every object: plain. plain: 1 statement, …`.
    static func sentence(_ choice: FetchVerdict.Choice) -> String {
        let ways = choice.ways.joined(separator: " or ")
        return "\(choice.purpose): \(ways). \(choice.reason)"
    }

    /// The median times with and without the index.
    static func times(_ index: FetchVerdict.IndexAdvice) -> String? {
        guard !index.attributes.isEmpty else { return nil }
        return "Median \(Figures.time(index.nanosecondsAfter)) instead of "
            + "\(Figures.time(index.nanosecondsBefore))."
    }

    static func plans(_ index: FetchVerdict.IndexAdvice) -> [String] {
        index.planBefore.map { "- \($0)" } + index.planAfter.map { "+ \($0)" }
    }

    private func verdict() -> String {
        var lines = [terminal.paint("Verdict", .bold)]
        for choice in report.verdict.choices {
            let ways = choice.ways.joined(separator: " or ")
            lines.append("  \(choice.purpose): \(terminal.paint(ways, .bold))")
            lines.append("    \(choice.reason)")
            lines += choice.code.map { "    \(terminal.paint($0, .green))" }
        }
        if let index = report.verdict.index {
            lines.append("  index: " + index.reason)
            if let times = Self.times(index) { lines.append("    \(times)") }
            lines += Self.plans(index).map { "    \(terminal.paint($0, .grey))" }
            lines += index.code.map { "    \(terminal.paint($0, .green))" }
        }
        if !report.verdict.code.isEmpty {
            lines.append("  to paste, for a list on a screen:")
            lines += report.verdict.code.map { "    \(terminal.paint($0, .green))" }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    // MARK: Tables

    static func overview(_ report: FetchReport) -> Table {
        var table = Table([
            .init("way"), .init("results", .right), .init("statements", .right),
            .init("rows", .right), .init("faults", .right), .init("VM steps", .right),
            .init("fetch", .right), .init("fetch and read", .right), .init("worst", .right),
        ])
        for way in report.strategies {
            table.add([
                way.name, Figures.count(way.results), Figures.count(way.statementTotal),
                Figures.count(way.rows), Figures.count(way.faults), Figures.count(way.vmSteps),
                Figures.time(way.fetchNanoseconds), Figures.time(way.totalNanoseconds),
                Figures.time(way.worstNanoseconds),
            ])
        }
        return table
    }

    static func footer(_ report: FetchReport) -> String {
        "Counts are exact, from a separate round. Times are medians of "
            + "\(Figures.count(report.rounds, "round")) in which the variants took turns, all with "
            + "the file in memory (\(report.build) build)."
    }

    static func listing(_ statement: FetchStrategy.Statement) -> String {
        var lines = ["\(Figures.count(statement.count)) × \(statement.text)"]
        lines.append(
            "    \(Figures.count(statement.rows, "row")), \(Figures.time(statement.nanoseconds))"
                + (statement.bindings.isEmpty
                    ? "" : "; values \(values(statement.bindings))"))
        lines += statement.plan.map { "    \($0)" }
        return lines.joined(separator: "\n")
    }

    private static func values(_ bindings: [String]) -> String {
        bindings.prefix(8).joined(separator: ", ") + (bindings.count > 8 ? ", …" : "")
    }

    private func statements(_ way: FetchStrategy) -> String {
        let texts = way.statements.map { Self.listing($0) + "\n" }.joined()
        let indented = texts.split(separator: "\n").map { "  \($0)\n" }.joined()
        return "\(terminal.paint(way.name, .bold)): \(way.sentence)\n\(indented)"
    }
}
