// Owns the text of the policy matrix; the command `matrix` prints it.

import LabResults

/// A matrix as text.
package struct MatrixText {
    private let matrix: MatrixResult
    private let terminal: Terminal

    package init(_ matrix: MatrixResult, terminal: Terminal = .plain) {
        self.matrix = matrix
        self.terminal = terminal
    }

    /// The table, and below it each row's sentence.
    package func text() -> String {
        var table = Table(
            [.init("scenario")] + matrix.columns.map { Table.Column($0.title) })
        for row in matrix.rows { table.add([row.id] + row.cells.map(\.summary)) }
        let colours = Dictionary(
            matrix.rows.flatMap(\.cells).map { ($0.summary, $0.classification.colour) },
            uniquingKeysWith: { first, _ in first })
        let grid = table.text { cell, padded in
            terminal.paint(padded, colours[cell] ?? nil)
        }
        let sentences = matrix.rows.map { "\($0.id)  \($0.sentence)\n" }.joined()
        return "\(terminal.paint(matrix.title, .bold))\n\n\(grid)\n\(sentences)"
    }
}
