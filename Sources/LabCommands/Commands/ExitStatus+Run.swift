import CommandLineSupport
import LabResults

extension ExitStatus {
    /// The status of a run. If nothing was checked, the run is inconclusive.
    ///
    /// - Parameter requiresFixtures: whether a skipped scenario is a failure.
    package init(_ report: RunReport, requiresFixtures: Bool) {
        let summary = report.summary
        if summary[.nondeterministic] > 0 {
            self = .nondeterministic
        } else if summary[.failed] > 0 || (requiresFixtures && summary[.skipped] > 0) {
            self = .failed
        } else if summary[.inconclusive] > 0 || summary[.passed] + summary[.interesting] == 0 {
            self = .inconclusive
        } else {
            self = .expected
        }
    }
}
