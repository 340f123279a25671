import BenchResults
import ReportParts

extension JUnit {
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
}
