import LabResults
import ReportParts

/// A self-contained page with the report of an SQL log. The command `sql` writes it.
package enum SQLLogPage {
    static let file = "sql.html"

    package static func text(_ report: SQLReport) -> String {
        var body: [HTML] = [
            .element("p", [.code(report.log), HTML(": \(SQLLogText.summary(report.totals)).")])
        ]
        if !report.limits.isEmpty { body.append(limits(report)) }
        body.append(.text("h2", "Problems"))
        body +=
            report.findings.isEmpty
            ? [.paragraph("Nothing was found.")] : report.findings.map(finding)
        if let comparison = report.comparison { body += compared(comparison) }
        body += [.text("h2", "Statements"), .block("div", ["class": "charts"], charts(report))]
        body.append(statements(report))
        if !report.notes.isEmpty {
            body += [
                .text("h2", "Limits of the log"),
                .element("ul", report.notes.map { .text("li", $0) }),
            ]
        }
        let page = Page(
            title: "SQL of a log", file: file, body: body,
            footer: "Times come from the log, with a precision of a tenth of a millisecond.",
            styles: [SQLStyle.text])
        return page.text(navigation: [PageLink("SQL log", file: file)])
    }

    // MARK: Findings

    private static func finding(_ finding: SQLFinding) -> HTML {
        var parts: [HTML] = [
            .element(
                "h3",
                [
                    .text("span", ["class": "badge warn"], finding.kind.rawValue), HTML(" "),
                    HTML(finding.title),
                ]),
            .paragraph(
                "\(SQLLogText.cost(finding)); \(SQLLogText.place(finding))"
                    + (finding.origin.map { "; began at \(SQLLogText.origin($0))" } ?? ""),
                class: "soft"),
            .paragraph(finding.advice),
        ]
        if let code = finding.code { parts.append(CopyButton.command(code)) }
        let sql = [finding.statement].compactMap(\.self) + finding.plan.map { "-- " + $0 }
        if !sql.isEmpty {
            parts.append(.text("pre", ["tabindex": "0"], sql.joined(separator: "\n")))
        }
        return .block("section", ["class": "finding"], parts)
    }

    private static func limits(_ report: SQLReport) -> HTML {
        let rows = report.limits.map { limit in
            HTML.element(
                "tr",
                [
                    .text("th", ["scope": "row"], limit.name),
                    .text("td", ["class": "number"], "\(limit.limit)"),
                    .text("td", ["class": "number"], "\(limit.seen)"),
                    .element(
                        "td",
                        [
                            .text(
                                "span", ["class": limit.holds ? "badge good" : "badge bad"],
                                limit.holds ? "holds" : "exceeded")
                        ]),
                ])
        }
        return HTMLTable.wrap(
            caption: "Limits that were given",
            head: ["limit", "at most", "seen", ""].map { .text("th", ["scope": "col"], $0) },
            rows: rows)
    }

    // MARK: Statements

    private static let barsMax = 12

    private static func charts(_ report: SQLReport) -> [HTML] {
        let byCount = report.shapes.sorted { $0.count > $1.count }.prefix(barsMax)
        let byTime = report.shapes.filter { $0.nanoseconds > 0 }.prefix(barsMax)
        return [
            BarChart(
                title: "The statements that ran most often",
                bars: byCount.map {
                    .init(
                        label: label($0), value: Double($0.count), text: Figures.count($0.count))
                }),
            BarChart(
                title: "The statements with the longest total time",
                bars: byTime.map {
                    .init(
                        label: label($0), value: Double($0.nanoseconds),
                        text: Figures.time($0.nanoseconds))
                }),
        ].compactMap { $0.figure() }
    }

    private static func label(_ shape: SQLShape) -> String {
        [shape.kind.uppercased(), shape.entity].filter { !$0.isEmpty }.joined(separator: " ")
            + ", line \(shape.line)"
    }

    private static func statements(_ report: SQLReport) -> HTML {
        let titles = ["count", "rows", "time", "worst", "line"]
        let head =
            titles.map { HTML.text("th", ["scope": "col", "class": "number"], $0) }
            + ["entity", "statement"].map { .text("th", ["scope": "col"], $0) }
        return HTMLTable.wrap(
            caption: "Statements that differ only in values share a row; the most expensive first",
            head: head, rows: report.shapes.map(row), class: "sql")
    }

    private static func row(_ shape: SQLShape) -> HTML {
        let figures = [
            Figures.count(shape.count), SQLLogText.rows(shape),
            SQLLogText.time(shape.nanoseconds),
            SQLLogText.time(shape.worstNanoseconds), String(shape.line),
        ].map { HTML.text("td", ["class": "number"], $0) }
        var text: [HTML] = [.code(shape.text + (shape.isTruncated ? " … (cut off)" : ""))]
        if !shape.plan.isEmpty {
            text.append(.text("pre", ["class": "plan"], shape.plan.joined(separator: "\n")))
        }
        return .element("tr", figures + [.text("td", shape.entity), .element("td", text)])
    }

    // MARK: Comparing

    private static func compared(_ comparison: SQLComparison) -> [HTML] {
        var parts: [HTML] = [
            .text("h2", "Compared with \(comparison.before)"),
            .paragraph("Before: \(SQLLogText.summary(comparison.totals)).", class: "soft"),
        ]
        let changes =
            comparison.appeared.map { ("bad", "new", $0) }
            + comparison.vanished.map { ("good", "gone", $0) }
        if !changes.isEmpty {
            parts.append(
                .element(
                    "ul",
                    changes.map { look, word, title in
                        .element(
                            "li",
                            [.text("span", ["class": "badge \(look)"], word), HTML(" \(title)")])
                    }))
        }
        parts.append(
            comparison.changes.isEmpty
                ? .paragraph(SQLLogText.unchanged(comparison))
                : HTMLTable.wrap(
                    caption: "Statements that ran more or less often, or much slower or faster",
                    head: HTMLTable.head(SQLLogText.changes(comparison, textMax: .max).columns),
                    rows: comparison.changes.map(change), class: "sql"))
        return parts
    }

    private static func change(_ change: SQLComparison.Change) -> HTML {
        let difference = change.after - change.before
        let look = difference > 0 ? "number bad" : difference < 0 ? "number good" : "number"
        return .element(
            "tr",
            [
                .text("td", ["class": "number"], Figures.count(change.before)),
                .text("td", ["class": "number"], Figures.count(change.after)),
                .text(
                    "td", ["class": look],
                    (difference > 0 ? "+" : "") + Figures.count(difference)),
                .text("td", ["class": "number"], SQLLogText.time(change.nanosecondsBefore)),
                .text("td", ["class": "number"], SQLLogText.time(change.nanosecondsAfter)),
                .element("td", [.code(change.text)]),
            ])
    }
}

enum SQLStyle {
    static let text = HTML.raw(
        """

        table.sql td:last-child { min-width: 24rem; width: 60%; overflow-wrap: anywhere; }
        table.sql td { padding-top: .35rem; padding-bottom: .35rem; }
        pre.plan { margin: .35rem 0 0; padding: .4rem .7rem; white-space: pre-wrap; }
        .finding { border-left: 3px solid var(--line); padding-left: 1rem; margin: 1.5rem 0; }
        .finding h3 { margin-top: 0; }
        .finding pre { white-space: pre-wrap; overflow-wrap: anywhere; }
        .values { color: var(--soft); }

        """)
}
