/// A table that is printed as aligned text or as Markdown.
package struct Table {
    package enum Alignment: Sendable {
        case left
        case right
    }

    package struct Column: Sendable {
        package var title: String
        package var alignment: Alignment

        package init(_ title: String, _ alignment: Alignment = .left) {
            self.title = title
            self.alignment = alignment
        }
    }

    package private(set) var columns: [Column]
    package private(set) var rows: [[String]] = []

    package init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row. Missing cells are empty.
    package mutating func add(_ cells: [String]) {
        let missing = max(0, columns.count - cells.count)
        rows.append(cells + Array(repeating: "", count: missing))
    }

    /// Removes columns that are empty in every row.
    package func withoutEmptyColumns() -> Table {
        let kept = columns.indices.filter { column in rows.contains { !$0[column].isEmpty } }
        var table = Table(kept.map { columns[$0] })
        for row in rows { table.add(kept.map { row[$0] }) }
        return table
    }

    /// Aligned text, with two spaces between columns and a line below the titles.
    ///
    /// - Parameter paint: adds colours to a cell. It receives the text without and with padding.
    package func text(
        indent: String = "", paint: (_ cell: String, _ padded: String) -> String = { $1 }
    ) -> String {
        let widths = columns.indices.map { column in
            ([columns[column].title] + rows.map { $0[column] }).map(\.count).max() ?? 0
        }
        var lines = [line(columns.map(\.title), widths) { $1 }]
        lines.append(widths.map { String(repeating: "─", count: $0) }.joined(separator: "  "))
        lines += rows.map { line($0, widths, paint) }
        return lines.map { indent + $0 + "\n" }.joined()
    }

    package func markdown() -> String {
        let head = columns.map(\.title)
        let rule = columns.map { $0.alignment == .right ? "---:" : "---" }
        return ([head, rule] + rows.map { $0.map(Markdown.cell) })
            .map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }

    private func line(
        _ cells: [String], _ widths: [Int], _ paint: (String, String) -> String
    ) -> String {
        var parts: [String] = []
        for (index, cell) in cells.enumerated() {
            let space = String(repeating: " ", count: widths[index] - cell.count)
            let isLast = index == cells.count - 1
            switch columns[index].alignment {
            case .left: parts.append(paint(cell, isLast ? cell : cell + space))
            case .right: parts.append(paint(cell, space + cell))
            }
        }
        var text = parts.joined(separator: "  ")
        while text.hasSuffix(" ") { text.removeLast() }
        return text
    }
}
