import LabResults

/// Results as JUnit XML.
///
/// `run`, `explore` and `gate` write it on request.
package enum JUnit {
    /// One test case per scenario and cell.
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

    /// One test case per compared workload strategy that differs, and one for the gate itself.
    package static func text(_ verdict: GateVerdict) -> String {
        let differences = verdict.differences.map { difference in
            let lines = [difference.message] + difference.statements
            return Case(
                group: difference.workload, name: "\(difference.strategy) \(difference.metric)",
                state: difference.effect == .improvement
                    ? .passed : .failed(difference.message, lines.joined(separator: "\n")))
        }
        let missing = verdict.missing.map {
            Case(group: "gate", name: $0, state: .skipped("not compared"))
        }
        let own: Case.State =
            switch verdict.status {
            case .passed: .passed
            case .failed: .failed("the gate failed", "")
            case .inconclusive: .skipped("inconclusive")
            }
        let gate = Case(
            group: "gate", name: "\(verdict.compared) figures against \(verdict.baseline)",
            state: own)
        return suite("faultline gate", differences + missing + [gate])
    }

    private struct Case {
        enum State {
            case passed
            case failed(_ message: String, _ text: String)
            case skipped(_ why: String)
        }

        var group: String
        var name: String
        var state: State
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

    private static func suite(_ name: String, _ cases: [Case]) -> String {
        let failed = cases.count { if case .failed = $0.state { true } else { false } }
        let skipped = cases.count { if case .skipped = $0.state { true } else { false } }
        let lines = cases.map(xml).joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
            <testsuite name="\(HTML.escape(name))" tests="\(cases.count)" failures="\(failed)" \
            skipped="\(skipped)">
            \(lines)</testsuite>
            </testsuites>

            """
    }

    private static func xml(_ item: Case) -> String {
        let head =
            "<testcase classname=\"\(HTML.escape(item.group))\" "
            + "name=\"\(HTML.escape(item.name))\""
        switch item.state {
        case .passed: return head + "/>\n"
        case .skipped(let why):
            return head + "><skipped message=\"\(HTML.escape(why))\"/></testcase>\n"
        case .failed(let message, let text):
            return head + "><failure message=\"\(HTML.escape(message))\">"
                + HTML.escape(text) + "</failure></testcase>\n"
        }
    }
}
