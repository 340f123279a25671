/// The differences between two results of the same scenarios, for the command `diff`.
package struct RunDiff: Sendable, Hashable {
    package var before: String
    package var after: String
    /// The scenarios in both results, in the order of the first result.
    package var pairs: [ScenarioDiff]
    /// Scenarios and cells in only one of the results.
    package var onlyBefore: [String]
    package var onlyAfter: [String]

    package init(
        before: RunReport, named beforeName: String, after: RunReport, named afterName: String
    ) {
        self.before = beforeName
        self.after = afterName
        let old = Self.byLabel(before)
        let new = Self.byLabel(after)
        pairs = before.scenarios.compactMap { result in
            new[result.label].map { ScenarioDiff(title: result.label, before: result, after: $0) }
        }
        onlyBefore = before.scenarios.map(\.label).filter { new[$0] == nil }
        onlyAfter = after.scenarios.map(\.label).filter { old[$0] == nil }
    }

    /// Compares the results in two cells of a matrix by their names. If each cell has only one
    /// result, the names may differ, as for a scenario and its cure.
    package init(
        cells before: [ScenarioResult], named beforeName: String, with after: [ScenarioResult],
        named afterName: String
    ) {
        self.before = beforeName
        self.after = afterName
        if before.count == 1, after.count == 1 {
            let (one, other) = (before[0], after[0])
            let title = one.name == other.name ? one.name : "\(one.name) and \(other.name)"
            pairs = [ScenarioDiff(title: title, before: one, after: other)]
            onlyBefore = []
            onlyAfter = []
            return
        }
        pairs = before.compactMap { result in
            after.first { $0.name == result.name }
                .map { ScenarioDiff(title: result.name, before: result, after: $0) }
        }
        let (old, new) = (Set(before.map(\.name)), Set(after.map(\.name)))
        onlyBefore = before.map(\.name).filter { !new.contains($0) }
        onlyAfter = after.map(\.name).filter { !old.contains($0) }
    }

    private static func byLabel(_ report: RunReport) -> [String: ScenarioResult] {
        Dictionary(report.scenarios.map { ($0.label, $0) }, uniquingKeysWith: { one, _ in one })
    }

    package var isEmpty: Bool {
        onlyBefore.isEmpty && onlyAfter.isEmpty && pairs.allSatisfy(\.isEmpty)
    }
}

/// The differences between two results of one scenario.
package struct ScenarioDiff: Sendable, Hashable {
    package struct Change<Value: Sendable & Hashable>: Sendable, Hashable {
        package var before: Value
        package var after: Value

        package init(before: Value, after: Value) {
            self.before = before
            self.after = after
        }
    }

    package struct OutcomeChange: Sendable, Hashable {
        package var text: String
        /// The outcome in the first result; nil if no schedule led to it.
        package var before: OutcomeResult?
        package var after: OutcomeResult?

        package var word: String {
            guard let before else { return "new" }
            guard let after else { return "gone" }
            return before.grade == after.grade ? "counted" : "graded"
        }
    }

    /// A schedule that is in both results, with the first step whose effects differ.
    package struct Divergence: Sendable, Hashable {
        package var schedule: [String]
        package var step: String
        package var before: [String]
        package var after: [String]

        package init(schedule: [String], step: String, before: [String], after: [String]) {
            self.schedule = schedule
            self.step = step
            self.before = before
            self.after = after
        }
    }

    package var title: String
    package var verdict: Change<Verdict>?
    package var schedules: Change<Int>?
    package var outcomes: [OutcomeChange]
    package var newFindings: [Finding]
    package var goneFindings: [Finding]
    package var divergences: [Divergence]

    package init(title: String, before: ScenarioResult, after: ScenarioResult) {
        self.title = title
        verdict =
            before.verdict == after.verdict
            ? nil : Change(before: before.verdict, after: after.verdict)
        schedules =
            before.schedules.explored == after.schedules.explored
            ? nil : Change(before: before.schedules.explored, after: after.schedules.explored)
        outcomes = Self.outcomes(before.outcomes, after.outcomes)
        newFindings = after.findings.filter { finding in
            !before.findings.contains { $0.isLike(finding) }
        }
        goneFindings = before.findings.filter { finding in
            !after.findings.contains { $0.isLike(finding) }
        }
        divergences = before.transcripts.compactMap { old in
            after.transcripts.first { $0.steps == old.steps }.flatMap {
                Self.divergence(old, $0)
            }
        }
    }

    package var isEmpty: Bool {
        verdict == nil && schedules == nil && outcomes.isEmpty && newFindings.isEmpty
            && goneFindings.isEmpty && divergences.isEmpty
    }

    private static func outcomes(
        _ before: [OutcomeResult], _ after: [OutcomeResult]
    ) -> [OutcomeChange] {
        let new = after.filter { $0.count > 0 }
        let old = before.filter { $0.count > 0 }
        let known = old.map { outcome in
            OutcomeChange(
                text: outcome.text, before: outcome, after: new.first { $0.text == outcome.text })
        }
        let added = new.filter { outcome in !old.contains { $0.text == outcome.text } }
            .map { OutcomeChange(text: $0.text, before: nil, after: $0) }
        return (known + added).filter {
            $0.before?.count != $0.after?.count || $0.before?.grade != $0.after?.grade
        }
    }

    private static func divergence(_ old: Transcript, _ new: Transcript) -> Divergence? {
        guard let one = old.timeline?.steps, let other = new.timeline?.steps else { return nil }
        for (left, right) in zip(one, other)
        where left.lines != right.lines || left.changes != right.changes {
            var before = left.lines.map(\.indented)
            var after = right.lines.map(\.indented)
            if before == after {
                before = left.changes.flatMap(\.items).map(\.text)
                after = right.changes.flatMap(\.items).map(\.text)
            }
            return Divergence(
                schedule: one.map(\.name), step: left.name, before: before, after: after)
        }
        return nil
    }
}

extension ScenarioResult {
    package var label: String { cellText.isEmpty ? name : "\(name) [\(cellText)]" }
}

extension Finding {
    fileprivate func isLike(_ other: Finding) -> Bool { name == other.name && step == other.step }
}

extension Transcript {
    /// The steps of the schedule, without the token's scenario, hash and cell.
    fileprivate var steps: String? {
        token.split(separator: ":").last.map(String.init)
    }
}

extension Timeline.Line {
    fileprivate var indented: String { isDetail ? "  \(text)" : text }
}

extension Timeline.Item {
    fileprivate var text: String {
        let values = values.isEmpty ? "" : ": " + values.joined(separator: ", ")
        return "\(name) (\(mark))\(values)"
    }
}
