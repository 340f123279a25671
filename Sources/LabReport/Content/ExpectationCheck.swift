import LabResults
import ReportParts

/// A comparison of a matrix with the expected matrix. The exit code of the tool depends on it.
package struct ExpectationCheck: Sendable, Hashable {
    package struct Difference: Sendable, Hashable, CustomStringConvertible {
        package var row: String
        package var column: String
        package var expected: String
        package var observed: String

        package var description: String {
            "\(row) under \(column): expected '\(expected)', observed '\(observed)'"
        }
    }

    package private(set) var file: String
    package private(set) var compared: Int
    package private(set) var differences: [Difference]

    package init(_ matrix: MatrixResult, with expectation: MatrixExpectation, file: String) {
        self.file = file
        let observed = Self.cells(MatrixExpectation(matrix))
        let expected = Self.cells(expectation)
        compared = expected.count
        let known = Set(expected.map(\.place))
        differences = expected.compactMap { cell in
            let now = observed.first { $0.place == cell.place }?.text ?? "no such cell"
            guard now != cell.text else { return nil }
            return Self.difference(cell.place, cell.text, now)
        }
        differences += observed.filter { !known.contains($0.place) }.map {
            Self.difference($0.place, "no such cell", $0.text)
        }
    }

    package var verdict: String { differences.isEmpty ? "as expected" : "not as expected" }

    package var sentence: String {
        differences.isEmpty
            ? "All \(Figures.count(compared, "cell")) equal the table of expectations in \(file)."
            : "\(Figures.count(differences.count)) of \(Figures.count(compared, "cell")) "
                + "\(differences.count == 1 ? "differs" : "differ") from \(file)."
    }

    private struct Place: Hashable {
        var row: String
        var column: String
    }

    private static func difference(
        _ place: Place, _ expected: String, _ observed: String
    ) -> Difference {
        Difference(
            row: place.row, column: place.column, expected: expected, observed: observed)
    }

    private static func cells(_ table: MatrixExpectation) -> [(place: Place, text: String)] {
        table.rows.flatMap { row in
            zip(table.columns, row.cells).map { (Place(row: row.id, column: $0), $1) }
        }
    }
}
