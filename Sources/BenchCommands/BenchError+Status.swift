import CommandLineSupport
import LabBench

extension BenchError: CommandError {
    /// The exit status that the bench documents for this error.
    package var status: ExitStatus { ExitStatus(rawValue: exitCode) ?? .internalError }

    /// The errors in input files, each with its position; nil for any other error.
    package var complaint: String? {
        if case .input(let errors) = self { "\(errors)" } else { nil }
    }
}
