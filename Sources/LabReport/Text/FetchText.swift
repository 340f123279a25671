import LabResults

/// One fetch in several ways as text.
///
/// The command `fetch` prints it, and its Markdown and HTML take their tables from here.
package struct FetchText {
    private let report: FetchReport
    private let terminal: Terminal

    package init(_ report: FetchReport, terminal: Terminal = .plain) {
        self.report = report
        self.terminal = terminal
    }

    /// The ways side by side, then each one's statements with their plans.
    package func text() -> String {
        let request = report.request.map { "  \($0)\n" }.joined()
        let notes = report.notes.map { "note: \($0)\n" }.joined()
        return """
            \(terminal.paint(report.entity, .bold)) in \(report.store): \
            \(Figures.count(report.rowsInStore, "row")); tried on a copy
            \(request)
            \(Self.overview(report).text())
            \(report.strategies.map(statements).joined(separator: "\n"))
            \(notes)\(Self.footer(report))

            """
    }

    /// A row for each way.
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
        "Counts are exact, from a round of their own. Times are medians of "
            + "\(Figures.count(report.rounds, "round")) in which the ways took turns, all with the "
            + "file in memory (\(report.build) build)."
    }

    /// A statement with its figures, its values and its plan.
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
