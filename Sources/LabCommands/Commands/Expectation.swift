import CommandLineSupport
import LabReport
import LabResults

/// The comparison of a matrix with the committed table. It decides the exit code of `matrix` and of
/// the tool without a command.
package enum Expectation {
    /// The committed table, below the root.
    package static let file = "Scenarios/policy-matrix.md"

    /// Compares with a table, or writes it; nil without a table.
    package static func check(
        _ matrix: MatrixResult, _ path: String?, bless: Bool = false
    ) throws -> ExpectationCheck? {
        guard let path else { return nil }
        if bless {
            try Places.write(MatrixExpectation(matrix).markdown, to: path)
        }
        let text = String(decoding: try Places.read(path), as: UTF8.self)
        return ExpectationCheck(
            matrix, with: try MatrixExpectation(markdown: text, file: path), file: file)
    }

    /// Prints the differences and how to accept them.
    package static func status(_ check: ExpectationCheck?, _ matrix: MatrixResult) -> ExitStatus {
        guard let check else { return matrix.rows.isEmpty ? .inconclusive : .expected }
        Console.note(check.sentence)
        for difference in check.differences { Console.note("  \(difference)") }
        if check.differences.isEmpty { return check.compared == 0 ? .inconclusive : .expected }
        Console.note("If that is meant, run `./faultline matrix --bless` and review the change.")
        return .failed
    }
}
