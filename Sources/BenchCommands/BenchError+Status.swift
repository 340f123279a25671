import CommandLineSupport
import LabBench

extension BenchError: CommandError {
    /// The status of the exit code that the bench documents.
    package var status: ExitStatus { ExitStatus(rawValue: exitCode) ?? .internalError }

    /// Errors of input files begin with their places.
    package var complaint: String? {
        if case .input(let errors) = self { "\(errors)" } else { nil }
    }
}
