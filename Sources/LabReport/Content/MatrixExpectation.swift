import Foundation
import LabFiles
import LabResults
import ReportParts

/// The expected cells of a matrix. A Markdown table contains them. The tool fails if a cell
/// differs.
package struct MatrixExpectation: Sendable, Hashable {
    package struct Row: Sendable, Hashable {
        package var id: String
        package var cells: [String]
    }

    /// The ids of the columns. The first column, which contains the names of the bugs, is not
    /// included.
    package private(set) var columns: [String]
    package private(set) var rows: [Row]

    package init(_ matrix: MatrixResult) {
        columns = matrix.columns.map(\.id)
        rows = matrix.rows.map { Row(id: $0.id, cells: $0.cells.map(\.summary)) }
    }

    /// Reads the first table of a Markdown file.
    ///
    /// - Throws: an ``InputError`` with the line number of a malformed row.
    package init(markdown text: String, file: String) throws(InputError) {
        columns = []
        rows = []
        var isHead = true
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated() where line.hasPrefix("|")
        {
            let cells = Self.cells(line)
            if isHead {
                columns = Array(cells.dropFirst())
                isHead = false
                guard !columns.isEmpty else {
                    throw InputError(
                        file: file, line: index + 1, column: 1,
                        problem: "the table has no column for a policy",
                        remedy: "write a table with a row per bug and a column per policy")
                }
            } else if !cells.allSatisfy({ $0.allSatisfy { $0 == "-" || $0 == ":" } }) {
                guard cells.count == columns.count + 1 else {
                    throw InputError(
                        file: file, line: index + 1, column: 1,
                        problem:
                            "the row has \(cells.count) cells, but the table has "
                            + "\(columns.count + 1) columns",
                        remedy: "write one cell per column")
                }
                rows.append(Row(id: cells[0], cells: Array(cells.dropFirst())))
            }
        }
        guard !rows.isEmpty else {
            throw InputError(
                file: file, line: 1, column: 1,
                problem: "the file contains no table of expected cells",
                remedy: "write a table with a row per bug and a column per policy")
        }
    }

    package var markdown: String {
        let rule = columns.map { _ in "---" }.joined(separator: "|")
        let lines = rows.map { row in
            "| \(([row.id] + row.cells).map(Markdown.cell).joined(separator: " | ")) |\n"
        }
        return """
            # What every policy does about every bug

            `./faultline` compares its matrix with this table and fails if a cell differs. In a
            cell, the value of the scenario's first observation follows the colon.

            | bug | \(columns.map(Markdown.cell).joined(separator: " | ")) |
            |---|\(rule)|
            \(lines.joined())
            """
    }

    private static func cells(_ line: Substring) -> [String] {
        var cells: [String] = [""]
        var isEscaped = false
        for character in line.dropFirst() {
            if isEscaped {
                cells[cells.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "|" {
                cells.append("")
            } else {
                cells[cells.count - 1].append(character)
            }
        }
        return cells.dropLast().map {
            $0.trimmingCharacters(in: .whitespaces).replacing("&lt;", with: "<")
        }
    }
}
