import LabResults
import ReportParts

/// The HTML page of the policy matrix.
enum MatrixPage {
    static let file = "matrix.html"

    static func page(_ matrix: MatrixResult, check: ExpectationCheck?) -> Page {
        Page(
            title: matrix.title, file: file,
            body: [
                .paragraph(
                    "Every row is a bug that was reported from a real app, every column a merge "
                        + "policy. A cell shows the effect of the policy on the bug and the values "
                        + "at the end; it links to the transcript of the interleaving that shows "
                        + "the effect."),
                legend, expectation(check), table(matrix), variants(matrix),
                .text("h2", "The scenarios"),
            ] + matrix.rows.map { scenario($0, matrix) }
                + [.text("h2", "Transcripts")]
                + matrix.transcripts.map { transcript($0, of: matrix) })
    }

    private static let legend = HTML.element(
        "ul", ["class": "legend"],
        [
            ("good", "prevented", "the bug did not happen; its prevention is below"),
            ("bad", "silently lost", "a change is gone without an error"),
            (
                "bad", "silently wrong",
                "nothing is gone, but something is wrong, without an error"
            ),
            ("warn", "error", "a save or a read failed with this code of NSCocoaErrorDomain"),
            ("good", "correct", "nothing was lost, and nothing had to be prevented"),
        ].map { look, word, meaning in
            HTML.element(
                "li", [:],
                [.text("span", ["class": "badge \(look)"], word), HTML(" \(meaning)")])
        })

    private static func expectation(_ check: ExpectationCheck?) -> HTML {
        guard let check else { return .empty }
        let look = check.differences.isEmpty ? "good" : "bad"
        let list = check.differences.map { HTML.text("li", $0.description) }
        return HTML([
            .element(
                "p", [:],
                [
                    .text("span", ["class": "badge \(look)"], check.verdict),
                    HTML(" \(check.sentence)"),
                ]),
            list.isEmpty ? .empty : .element("ul", list),
        ])
    }

    private static func table(_ matrix: MatrixResult) -> HTML {
        let head =
            [HTML.text("th", ["scope": "col"], "bug")]
            + matrix.columns.map { HTML.text("th", ["scope": "col"], $0.title) }
        let rows = matrix.rows.map { row in
            let name = HTML.element(
                "a", ["href": "#\(anchor(row))"],
                [
                    .text("span", ["class": "mark"], row.id),
                    .text("span", ["class": "detail"], row.scenario),
                ])
            return HTML.element(
                "tr",
                [.element("th", ["scope": "row"], [name])]
                    + zip(row.cells, matrix.columns).map { cell($0, in: $1.title) })
        }
        return HTMLTable.wrap(
            caption: "The effect of each merge policy on each bug", head: head, rows: rows,
            class: "matrix")
    }

    private static func variants(_ matrix: MatrixResult) -> HTML {
        guard let variants = matrix.variants, !variants.isEmpty else { return .empty }
        let policies = matrix.columns.map(\.title)
        let head = ["bug"] + variants.map(\.title)
        let bugs: [String] = variants.first?.rows.map(\.id) ?? []
        let rows = bugs.map { id -> HTML in
            let cells = variants.map { variant -> HTML in
                let cells = variant.rows.first { $0.id == id }?.cells ?? []
                return .element("td", ["class": "letters"], letters(cells, policies))
            }
            return .element("tr", [.text("th", ["scope": "row"], id)] + cells)
        }
        return HTML([
            .text("h2", MatrixText.variantTitle),
            .paragraph(
                "A letter for each of \(policies.joined(separator: ", ")). \(MatrixText.legend)."),
            HTMLTable.wrap(
                caption: "The effect of topologies and stores on each bug",
                head: head.map { .text("th", ["scope": "col"], $0) }, rows: rows),
        ])
    }

    private static func letters(_ cells: [MatrixVariant.Cell], _ policies: [String]) -> [HTML] {
        zip(cells, policies).map { cell, policy in
            let text = cell.text.isEmpty ? "" : ": \(cell.text)"
            return .text(
                "span",
                [
                    "class": "letter \(cell.mark.look)",
                    "title": "\(policy): \(cell.mark.meaning)\(text)",
                ], cell.mark.rawValue)
        }
    }

    /// - Parameter column: the name of the merge policy. On narrow screens it is shown above the
    ///   cell.
    private static func cell(_ cell: MatrixResult.Cell, in column: String) -> HTML {
        let content: [HTML] = [
            .text("span", ["class": "mark"], cell.classification.word),
            cell.classification.means.map { .text("span", ["class": "means"], $0) } ?? .empty,
            .text("span", ["class": "detail"], cell.text),
            cell.loss.map { .text("span", ["class": "means"], $0.summary) } ?? .empty,
        ]
        let inner = cell.transcript.map { id in
            [HTML.element("a", ["href": "#\(id)", "title": cell.reason], content)]
        }
        return .element(
            "td", ["class": cell.classification.look, "data-label": column], inner ?? content)
    }

    private static func scenario(_ row: MatrixResult.Row, _ matrix: MatrixResult) -> HTML {
        let sources = row.references.map { reference in
            HTML.element("li", [HTML.reference(reference)])
        }
        let columns = ["policy", "verdict", "observed", "why", "cycle", ""].map { Table.Column($0) }
        let cells = zip(matrix.columns, row.cells).map { column, cell in
            let badge = HTML.text(
                "span", ["class": "badge \(cell.classification.look)"], cell.marks)
            let link = cell.transcript.map { [HTML.link("transcript", to: "#\($0)")] } ?? []
            let contents: [[HTML]] = [
                [badge], [HTML(cell.texts)], [HTML(cell.reason)], [HTML(cell.cycle ?? "")], link,
            ]
            return HTML.element(
                "tr", [:],
                [.text("th", ["scope": "row"], column.title)]
                    + zip(contents, columns.dropFirst()).map { HTMLTable.cell($0, of: $1) })
        }
        return .block(
            "section", ["id": anchor(row)],
            [
                .text("h3", "\(row.id) \(row.scenario)"), .paragraph(row.sentence),
                .element("p", ["class": "soft"], [HTML("File: "), .code(row.file)]),
                sources.isEmpty ? .empty : .element("ul", ["class": "soft"], sources),
                HTMLTable.wrap(
                    caption: "\(row.id) under each policy", head: HTMLTable.head(columns),
                    rows: cells, class: "stack"),
            ])
    }

    private static func transcript(
        _ transcript: Transcript, of matrix: MatrixResult
    ) -> HTML {
        .block(
            "section", ["id": transcript.id],
            [
                .text("h3", transcript.title),
                CopyButton.command(matrix.replayLine(transcript)),
                .text("pre", ["tabindex": "0"], transcript.text),
                .element("p", [.link("Back to the matrix", to: "#top")]),
            ])
    }

    private static func anchor(_ row: MatrixResult.Row) -> String { "scenario-" + row.scenario }
}

extension HTML {
    /// A link if the text is a URL.
    static func reference(_ text: String) -> HTML {
        text.hasPrefix("https://") || text.hasPrefix("http://") ? link(text, to: text) : HTML(text)
    }
}

extension MatrixVariant.Mark {
    var look: String {
        switch self {
        case .prevented, .correct: "good"
        case .lost, .wrong: "bad"
        case .error: "warn"
        case .other, .none: "quiet"
        }
    }
}

extension Classification {
    /// The classification without the kind of prevention or the reason for skipping.
    var word: String {
        switch self {
        case .prevented: "prevented"
        case .skipped: "skipped"
        default: text
        }
    }

    /// The kind of prevention, or the reason why the cell was skipped.
    var means: String? {
        switch self {
        case .prevented(let how): how
        case .skipped(let why): why
        default: nil
        }
    }

    var look: String {
        switch self {
        case .prevented, .correct: "good"
        case .silentlyLost, .silentlyWrong: "bad"
        case .error: "warn"
        case .skipped: "quiet"
        }
    }
}
