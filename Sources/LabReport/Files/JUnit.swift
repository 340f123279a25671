import Foundation
import LabResults

/// Results as JUnit XML, for the commands `run`, `explore` and `gate`.
package enum JUnit {
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

    /// There is one test case for each compared figure of each strategy, and one for the gate
    /// itself. The time of a figure's test case is the time of one run of the strategy.
    package static func text(_ verdict: GateVerdict) -> String {
        struct Key: Hashable { var workload, strategy, metric: String }
        var differences = Dictionary(grouping: verdict.differences) {
            Key(workload: $0.workload, strategy: $0.strategy, metric: $0.metric)
        }
        var cases: [Case] = []
        for subject in verdict.subjects ?? [] {
            for metric in subject.figures {
                let key = Key(
                    workload: subject.workload, strategy: subject.strategy, metric: metric)
                let different = differences.removeValue(forKey: key) ?? []
                cases.append(figure(metric, of: subject, different))
            }
        }
        let others = verdict.differences.filter {
            let key = Key(workload: $0.workload, strategy: $0.strategy, metric: $0.metric)
            return differences[key] != nil
        }
        cases += others.map { difference in
            Case(
                group: difference.workload, name: "\(difference.strategy) \(difference.metric)",
                state: state([difference]))
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
        return suite("faultline gate", cases + missing + [gate])
    }

    private static func figure(
        _ metric: String, of subject: GateSubject, _ differences: [GateDifference]
    ) -> Case {
        Case(
            group: subject.workload, name: "\(subject.strategy) \(metric)",
            state: state(differences), file: subject.file.isEmpty ? nil : subject.file,
            line: subject.line, nanoseconds: subject.nanoseconds)
    }

    private static func state(_ differences: [GateDifference]) -> Case.State {
        let worse = differences.filter { $0.effect != .improvement }
        guard let first = worse.first else { return .passed }
        let lines = worse.flatMap { [$0.message] + $0.statements }
        return .failed(first.message, lines.joined(separator: "\n"))
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
        var file: String?
        var line: Int?
        var nanoseconds: UInt64?
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
        var head =
            "<testcase classname=\"\(HTML.escape(item.group))\" "
            + "name=\"\(HTML.escape(item.name))\""
        if let file = item.file { head += " file=\"\(HTML.escape(file))\"" }
        if let line = item.line { head += " line=\"\(line)\"" }
        // JUnit times are in seconds.
        if let time = item.nanoseconds {
            head += " time=\"\(String(format: "%.6f", Double(time) / 1e9))\""
        }
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
