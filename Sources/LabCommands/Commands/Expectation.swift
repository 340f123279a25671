import CommandLineSupport
import LabReport
import LabResults

/// Compares a matrix with the committed table. This determines the exit code of `faultline matrix`,
/// and of `faultline` without a command.
package enum Expectation {
    package static let file = "Scenarios/policy-matrix.md"

    /// Compares a matrix with the table at a path; nil if the path is nil. If `bless` is true,
    /// first writes the table.
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

    /// Prints the differences and the command that accepts them.
    package static func status(_ check: ExpectationCheck?, _ matrix: MatrixResult) -> ExitStatus {
        guard let check else { return matrix.rows.isEmpty ? .inconclusive : .expected }
        Console.note(check.sentence)
        for difference in check.differences { Console.note("  \(difference)") }
        if check.differences.isEmpty { return check.compared == 0 ? .inconclusive : .expected }
        Console.note("If that is meant, run `./faultline matrix --bless` and review the change.")
        return .failed
    }
}
