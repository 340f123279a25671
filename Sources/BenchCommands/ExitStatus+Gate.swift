import BenchResults
import CommandLineSupport

extension ExitStatus {
    /// The status of a gate.
    package init(_ verdict: GateVerdict) {
        self =
            switch verdict.status {
            case .passed: .expected
            case .failed: .failed
            case .inconclusive: .inconclusive
            }
    }
}
