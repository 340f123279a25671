import ContextHistory

/// The observed values at the end of one schedule.
package struct Outcome: Sendable, Hashable {
    package let values: [ObservedValue]

    package init(values: [ObservedValue]) {
        self.values = values
    }
}

/// Grades the outcomes in one cell of a matrix.
package struct OutcomeGrading: Sendable {
    package enum Mark: Sendable, Equatable {
        /// The index in the scenario's list of outcomes.
        case spec(Int)
        case unmatched
    }

    package let scenario: Scenario
    package let cell: MatrixCell
    /// The outcomes of all serial orders of the sessions, for the pattern `serial`.
    package var serial: Set<Outcome>
    private let names: [String]

    package init(scenario: Scenario, cell: MatrixCell, serial: Set<Outcome> = []) {
        self.scenario = scenario
        self.cell = cell
        self.serial = serial
        names = scenario.observations.map(\.name.value)
    }

    package var needsSerial: Bool {
        scenario.outcomes.contains { outcome in
            guard case .serial = outcome.pattern else { return false }
            return outcome.counts(in: cell)
        }
    }

    /// The first outcome in the file that matches the observed values.
    package func mark(_ outcome: Outcome) -> Mark {
        for (index, spec) in scenario.outcomes.enumerated() where spec.counts(in: cell) {
            if fits(outcome, spec.pattern) { return .spec(index) }
        }
        return .unmatched
    }

    private func fits(_ outcome: Outcome, _ pattern: OutcomeSpec.Pattern) -> Bool {
        switch pattern {
        case .serial: serial.contains(outcome)
        case .values(let patterns):
            patterns.allSatisfy { named in
                guard let at = names.firstIndex(of: named.observation.value) else { return false }
                return named.pattern.fits(outcome.values[at])
            }
        }
    }
}

/// The number of schedules with an outcome, and the findings in these schedules.
package struct OutcomeTally: Sendable {
    package var outcome: Outcome
    package var mark: OutcomeGrading.Mark
    package var count: Int
    package var findings: Set<String>

    package init(
        outcome: Outcome, mark: OutcomeGrading.Mark, count: Int = 0, findings: Set<String> = []
    ) {
        self.outcome = outcome
        self.mark = mark
        self.count = count
        self.findings = findings
    }
}

/// The verdict on a scenario in one cell, which is a combination of values of its matrix.
package struct Judgement: Sendable, Equatable {
    package enum Verdict: String, Sendable { case passed, failed, interesting, inconclusive }

    package let verdict: Verdict
    /// The reasons, one sentence each; empty for a plain pass.
    package var reasons: [String]

    package init(verdict: Verdict, reasons: [String]) {
        self.verdict = verdict
        self.reasons = reasons
    }
}

extension OutcomeGrading {
    /// Judges a cell (one combination of values of the matrix) by all of its outcomes and findings.
    ///
    /// A cell fails if an outcome is unmatched or forbidden, or if an expected defect was not seen.
    /// If only a sample of the schedules ran, another schedule may show the defect, so a missing
    /// defect is inconclusive.
    ///
    /// - Parameters:
    ///   - tallies: the distinct outcomes.
    ///   - isComplete: whether every schedule was run.
    ///   - explored: the number of schedules that ran.
    package func judge(
        _ tallies: [OutcomeTally], isComplete: Bool, explored: Int
    ) -> Judgement {
        if explored == 0 {
            return Judgement(verdict: .inconclusive, reasons: ["no schedule was run"])
        }
        var failures: [String] = []
        var interesting: [String] = []
        for tally in tallies {
            switch tally.mark {
            case .unmatched:
                failures.append("\(text(tally.outcome)) matches no outcome of the file")
            case .spec(let index):
                let spec = scenario.outcomes[index]
                if spec.grade == .forbidden {
                    failures.append("\(text(tally.outcome)) is forbidden: \(spec.because)")
                }
                if spec.grade == .interesting {
                    interesting.append("\(text(tally.outcome)): \(spec.because)")
                }
            }
        }
        failures += brokenInvariants(tallies)
        let unseen = unseenDefects(tallies)
        if !failures.isEmpty || isComplete && !unseen.isEmpty {
            return Judgement(verdict: .failed, reasons: failures + unseen)
        }
        if !unseen.isEmpty {
            return Judgement(
                verdict: .inconclusive,
                reasons: unseen.map { "\($0), in a sample of \(explored)" })
        }
        return Judgement(
            verdict: interesting.isEmpty ? .passed : .interesting, reasons: interesting)
    }

    private func brokenInvariants(_ tallies: [OutcomeTally]) -> [String] {
        let found = tallies.reduce(into: Set<String>()) { $0.formUnion($1.findings) }
        return scenario.invariants.compactMap { invariant in
            guard let finding = invariant.value.findings.first(where: found.contains) else {
                return nil
            }
            return "the invariant '\(invariant.value.rawValue)' of line \(invariant.position.line)"
                + " is broken: \(finding)"
        }
    }

    /// Expected defects that no schedule of this cell showed with the expected finding.
    private func unseenDefects(_ tallies: [OutcomeTally]) -> [String] {
        scenario.outcomes.enumerated().compactMap { index, spec in
            guard spec.grade == .defect, spec.counts(in: cell) else { return nil }
            let seen = tallies.filter { $0.mark == .spec(index) }
            if seen.isEmpty {
                return "the defect of line \(spec.position.line) was not seen: \(spec.because)"
            }
            guard let finding = spec.finding,
                !seen.contains(where: { $0.findings.contains(finding) })
            else { return nil }
            return "the defect of line \(spec.position.line) was seen without the finding"
                + " '\(finding)'"
        }
    }

    package func text(_ outcome: Outcome) -> String {
        "(" + zip(names, outcome.values).map { "\($0) = \($1)" }.joined(separator: ", ") + ")"
    }
}
