import BenchResults
import CommandLineSupport

extension ExitStatus {
    package init(_ verdict: GateVerdict) {
        self =
            switch verdict.status {
            case .passed: .expected
            case .failed: .failed
            case .inconclusive: .inconclusive
            }
    }
}
