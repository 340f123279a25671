import LabResults
import ReportParts

/// The report of an SQL log as text. The command `sql` prints it. The Markdown and HTML reports use
/// its tables.
package struct SQLLogText {
    private let report: SQLReport
    private let terminal: Terminal

    package init(_ report: SQLReport, terminal: Terminal = .plain) {
        self.report = report
        self.terminal = terminal
    }

    /// Findings come first, then at most `rowsMax` statements. Nil means all statements.
    package func text(rowsMax: Int? = 20) -> String {
        var parts = [
            "\(terminal.paint(report.log, .bold)): \(Self.summary(report.totals))\n", findings(),
        ]
        if report.comparison != nil { parts.append(comparison()) }
        parts.append(statements(rowsMax))
        parts += [notes(), limits()]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    // MARK: Parts that every form of the report has

    /// For example `1,200 statements (1,190 SELECT, 4 writes), 5,000 rows, 1.2 s`.
    static func summary(_ totals: SQLTotals) -> String {
        let selects = "\(Figures.count(totals.selects)) SELECT"
        var parts = [
            "\(Figures.count(totals.statements, "statement")) (\(selects), "
                + "\(Figures.count(totals.writes, "write")))"
        ]
        // A log may lack rows and times.
        if totals.rows > 0 || totals.nanoseconds > 0 {
            parts += [
                Figures.count(totals.rows, "row"),
                "\(Figures.time(totals.nanoseconds)) in SQLite",
            ]
        }
        parts.append(Figures.count(totals.faults, "fault"))
        if totals.transactions > 0 {
            let rate = totals.transactionsPerSecond.map { ", \($0) a second" } ?? ""
            parts.append(Figures.count(totals.transactions, "transaction") + rate)
        }
        if totals.threads > 0 { parts.append(Figures.count(totals.threads, "thread")) }
        return parts.joined(separator: ", ")
    }

    /// One row for each form of statement.
    static func statements(_ report: SQLReport, textMax: Int) -> Table {
        var table = Table([
            .init("count", .right), .init("rows", .right), .init("time", .right),
            .init("worst", .right), .init("line", .right), .init("entity"), .init("statement"),
        ])
        for shape in report.shapes {
            table.add([
                Figures.count(shape.count), rows(shape),
                time(shape.nanoseconds), time(shape.worstNanoseconds),
                String(shape.line), shape.entity,
                shortened(shape.text, textMax) + (shape.isTruncated ? " … (cut off)" : ""),
            ])
        }
        return table
    }

    /// One row for each form of statement whose count differs, or whose time differs considerably.
    static func changes(_ comparison: SQLComparison, textMax: Int) -> Table {
        var table = Table([
            .init("before", .right), .init("after", .right), .init("difference", .right),
            .init("time before", .right), .init("time after", .right), .init("statement"),
        ])
        for change in comparison.changes {
            let difference = change.after - change.before
            table.add([
                Figures.count(change.before), Figures.count(change.after),
                (difference > 0 ? "+" : "") + Figures.count(difference),
                time(change.nanosecondsBefore), time(change.nanosecondsAfter),
                shortened(change.text, textMax),
            ])
        }
        return table
    }

    static func unchanged(_ comparison: SQLComparison) -> String {
        "The same statements ran as often as before"
            + (comparison.totals.nanoseconds > 0 ? ", in about the same time." : ".")
    }

    static func limits(_ report: SQLReport) -> Table {
        var table = Table([
            .init("limit"), .init("at most", .right), .init("seen", .right), .init("holds"),
        ])
        for limit in report.limits {
            table.add([
                limit.name, number(limit.limit), number(limit.seen), limit.holds ? "yes" : "NO",
            ])
        }
        return table
    }

    /// The number of rows. Empty if the log contains no row counts. If some statements lack a
    /// count, the text is for example `≥ 12`.
    static func rows(_ shape: SQLShape) -> String {
        if shape.rowsKnown == 0 { return "" }
        let rows = Figures.count(shape.rows)
        return shape.rowsKnown < shape.count && shape.kind == "select" ? "≥ \(rows)" : rows
    }

    /// Empty if the log contains no times.
    static func time(_ nanoseconds: UInt64) -> String {
        nanoseconds == 0 ? "" : Figures.time(nanoseconds)
    }

    /// For example `line 12` or `lines 12, 15, 18 …`.
    static func place(_ finding: SQLFinding) -> String {
        guard finding.lines.count != 1 else { return "line \(finding.lines[0])" }
        let all = finding.lines.map(String.init).joined(separator: ", ")
        return finding.lines.isEmpty
            ? "" : "lines \(all)\(finding.statements > finding.lines.count ? " …" : "")"
    }

    static func cost(_ finding: SQLFinding) -> String {
        let count = Figures.count(finding.statements, "statement")
        return finding.nanoseconds > 0 ? "\(count), \(Figures.time(finding.nanoseconds))" : count
    }

    /// For example `the fetch of Trip in line 3, 100 rows`.
    static func origin(_ origin: SQLFinding.Origin) -> String {
        let rows = origin.rows.map { ", \(Figures.count($0, "row"))" } ?? ""
        return "the fetch of \(origin.entity) in line \(origin.line)\(rows)"
    }

    static func shortened(_ text: String, _ max: Int) -> String {
        text.count <= max ? text : text.prefix(max - 1) + "…"
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? Figures.count(Int(value)) : "\(value)"
    }

    // MARK: Only in text

    private func findings() -> String {
        if report.findings.isEmpty { return terminal.paint("No problems found.\n", .green) }
        return report.findings.enumerated().map { finding($0.offset + 1, $0.element) }
            .joined(separator: "\n")
    }

    private func finding(_ number: Int, _ finding: SQLFinding) -> String {
        let kind = terminal.paint(finding.kind.rawValue, .yellow)
        var lines = [
            "\(number). \(kind): \(finding.title)",
            "   \(Self.cost(finding)); \(Self.place(finding))",
        ]
        if let origin = finding.origin { lines.append("   began at \(Self.origin(origin))") }
        lines.append("   → \(finding.advice)")
        if let code = finding.code { lines.append("     \(terminal.paint(code, .green))") }
        if let statement = finding.statement {
            lines.append("   " + terminal.paint(Self.shortened(statement, 150), .grey))
        }
        lines += finding.plan.map { "     " + terminal.paint($0, .grey) }
        return lines.map { $0 + "\n" }.joined()
    }

    private func statements(_ rowsMax: Int?) -> String {
        var shown = report
        if let rowsMax { shown.shapes = Array(shown.shapes.prefix(rowsMax)) }
        guard !shown.shapes.isEmpty else { return "" }
        let table = Self.statements(shown, textMax: rowsMax == nil ? .max : 110).text()
        let rest = report.shapes.count - shown.shapes.count
        return rest == 0 ? table : table + "and \(Figures.count(rest)) more; --full shows all\n"
    }

    private func comparison() -> String {
        guard let comparison = report.comparison else { return "" }
        var lines = ["Compared with \(comparison.before): \(Self.summary(comparison.totals))\n"]
        if comparison.changes.isEmpty {
            lines.append(Self.unchanged(comparison) + "\n")
        } else {
            lines.append(Self.changes(comparison, textMax: 110).text())
        }
        lines += comparison.appeared.map { terminal.paint("new: \($0)", .red) + "\n" }
        lines += comparison.vanished.map { terminal.paint("gone: \($0)", .green) + "\n" }
        return lines.joined()
    }

    private func notes() -> String { report.notes.map { "note: \($0)\n" }.joined() }

    private func limits() -> String {
        guard !report.limits.isEmpty else { return "" }
        return Self.limits(report).text { cell, padded in
            cell == "NO" ? terminal.paint(padded, .red) : padded
        }
    }
}
