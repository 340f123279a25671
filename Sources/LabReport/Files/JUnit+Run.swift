import LabResults
import ReportParts

extension JUnit {
    /// There is one test case for each scenario and cell.
    package static func text(_ report: RunReport) -> String {
        let cases = report.scenarios.map { scenario in
            Case(
                group: scenario.file,
                name: scenario.cellText.isEmpty
                    ? scenario.name : "\(scenario.name) [\(scenario.cellText)]",
                state: state(scenario))
        }
        return suite("faultline run", cases)
    }

    private static func state(_ scenario: ScenarioResult) -> Case.State {
        let why = scenario.reasons.first ?? scenario.verdict.rawValue
        switch scenario.verdict {
        case .passed, .interesting: return .passed
        case .skipped, .pending, .inconclusive: return .skipped(why)
        case .failed, .nondeterministic:
            return .failed(why, scenario.reasons.joined(separator: "\n"))
        }
    }
}
