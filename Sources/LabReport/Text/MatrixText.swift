import LabResults
import ReportParts

/// A matrix as text. The command `matrix` prints it.
package struct MatrixText {
    private let matrix: MatrixResult
    private let terminal: Terminal

    package init(_ matrix: MatrixResult, terminal: Terminal = .plain) {
        self.matrix = matrix
        self.terminal = terminal
    }

    /// The table, then the observations of each scenario under each policy.
    package func full() -> String {
        let details = matrix.rows.map { row in
            var table = Table([.init("policy"), .init("verdict"), .init("observed")])
            for (column, cell) in zip(matrix.columns, row.cells) {
                table.add([column.title, cell.classification.text, cell.text])
                if let loss = cell.loss {
                    table.add(["", Classification.silentlyLost.text, loss.text])
                }
            }
            let text = table.text(indent: "  ", paint: paint(row.cells))
            return "\(terminal.paint(row.id, .bold))  \(row.sentence)\n\n\(text)"
        }
        return grid() + "\n" + details.joined(separator: "\n") + variants()
    }

    /// The table and a sentence about each row.
    package func short() -> String {
        grid() + "\n" + matrix.rows.map { "\($0.id)  \($0.sentence)\n" }.joined()
    }

    /// The second table, with a column for each combination of topology and store. A cell contains
    /// one letter for each merge policy.
    private func variants() -> String {
        guard let variants = matrix.variants, !variants.isEmpty else { return "" }
        let policies = matrix.columns.map(\.title).joined(separator: ", ")
        return "\n\(terminal.paint(Self.variantTitle, .bold))\n\n"
            + Self.variantTable(matrix).text(indent: "  ")
            + "\n  A letter for each of \(policies).\n  \(Self.legend)\n"
    }

    static let variantTitle = "In other topologies and on other stores"

    static let legend = MatrixVariant.Mark.allCases.map { "\($0.rawValue) \($0.meaning)" }
        .joined(separator: "; ")

    static func variantTable(_ matrix: MatrixResult) -> Table {
        let variants = matrix.variants ?? []
        var table = Table([.init("bug")] + variants.map { Table.Column($0.title) })
        for id in variants.first?.rows.map(\.id) ?? [] {
            table.add(
                [id]
                    + variants.map { variant in
                        variant.rows.first { $0.id == id }?.letters ?? ""
                    })
        }
        return table
    }

    private func grid() -> String {
        var table = Table([.init("bug")] + matrix.columns.map { Table.Column($0.title) })
        for row in matrix.rows { table.add([row.id] + row.cells.map(\.marks)) }
        let text = table.text(paint: paint(matrix.rows.flatMap(\.cells)))
        return "\(terminal.paint(matrix.title, .bold))\n\n\(text)"
    }

    private func paint(_ cells: [MatrixResult.Cell]) -> (String, String) -> String {
        let colours = Dictionary(
            cells.flatMap { cell in
                [cell.classification.text, cell.marks].map { ($0, cell.classification.colour) }
            },
            uniquingKeysWith: { first, _ in first })
        return { cell, padded in terminal.paint(padded, colours[cell] ?? nil) }
    }
}
