import CommandLineSupport
import LabBench

extension BenchError: CommandError {
    /// The status for the exit code that the bench documents.
    package var status: ExitStatus { ExitStatus(rawValue: exitCode) ?? .internalError }

    /// Errors of input files begin with their positions.
    package var complaint: String? {
        if case .input(let errors) = self { "\(errors)" } else { nil }
    }
}
