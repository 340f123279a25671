import CommandLineSupport
import LabBench

extension BenchError: CommandError {
    package var status: ExitStatus { ExitStatus(rawValue: exitCode) ?? .internalError }

    /// The errors in input files with their positions; nil for any other error.
    package var complaint: String? {
        if case .input(let errors) = self { "\(errors)" } else { nil }
    }
}
