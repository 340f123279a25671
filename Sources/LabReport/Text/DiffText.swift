import LabResults
import ReportParts

/// A comparison as text. The command `diff` prints it.
package struct DiffText {
    private let diff: RunDiff
    private let terminal: Terminal

    package init(_ diff: RunDiff, terminal: Terminal = .plain) {
        self.diff = diff
        self.terminal = terminal
    }

    package func text() -> String {
        let parts = diff.pairs.filter { !$0.isEmpty }.map(part)
        let missing =
            diff.onlyBefore.map { "only in \(diff.before): \($0)\n" }
            + diff.onlyAfter.map { "only in \(diff.after): \($0)\n" }
        let head = "before  \(diff.before)\nafter   \(diff.after)\n\n"
        let lists = missing.isEmpty ? "" : missing.joined() + "\n"
        return head + parts.joined(separator: "\n") + (parts.isEmpty ? "" : "\n") + lists
            + Self.summary(diff) + "\n"
    }

    /// For example `2 of 8 scenarios differ`.
    static func summary(_ diff: RunDiff) -> String {
        let differing = diff.pairs.count { !$0.isEmpty }
        let missing = diff.onlyBefore.count + diff.onlyAfter.count
        let compared = Figures.count(diff.pairs.count, "scenario")
        let alone = missing == 0 ? "" : "; \(missing) only on one side"
        return differing == 0
            ? "no difference in \(compared)\(alone)"
            : "\(Figures.count(differing)) of \(compared) "
                + (differing == 1 ? "differs" : "differ") + alone
    }

    private func part(_ pair: ScenarioDiff) -> String {
        var text = terminal.paint(pair.title, .bold) + "\n"
        if let verdict = pair.verdict {
            text += "  verdict: \(verdict.before.rawValue) → \(verdict.after.rawValue)\n"
        }
        if let count = pair.schedules {
            text += "  schedules: \(count.before) → \(count.after)\n"
        }
        if !pair.outcomes.isEmpty {
            text +=
                "\n"
                + Self.outcomes(pair).text(indent: "  ") { cell, padded in
                    terminal.paint(padded, Self.colours[cell])
                } + "\n"
        }
        for finding in pair.newFindings { text += "  new finding: \(Self.line(finding))\n" }
        for finding in pair.goneFindings { text += "  no longer found: \(Self.line(finding))\n" }
        for divergence in pair.divergences { text += "\n" + self.text(of: divergence) }
        return text
    }

    private static let colours: [String: Terminal.Colour] = ["new": .green, "gone": .red]

    /// One row for each outcome that differs between the two results.
    static func outcomes(_ pair: ScenarioDiff) -> Table {
        var table = Table([
            .init(""), .init("before", .right), .init("after", .right), .init("grade"),
            .init("outcome"), .init("token"),
        ])
        for change in pair.outcomes {
            let grades = [change.before?.grade, change.after?.grade].compactMap { $0?.rawValue }
            let grade = Set(grades).count == 1 ? grades[0] : grades.joined(separator: " → ")
            table.add([
                change.word, Figures.count(change.before?.count ?? 0),
                Figures.count(change.after?.count ?? 0), grade, change.text,
                (change.after ?? change.before)?.token ?? "",
            ])
        }
        return table
    }

    static func line(_ finding: Finding) -> String {
        finding.step.map { "\(finding.name) in \($0): \(finding.prose)" }
            ?? "\(finding.name): \(finding.prose)"
    }

    private func text(of divergence: ScenarioDiff.Divergence) -> String {
        let schedule = divergence.schedule.joined(separator: " ")
        return "  \(schedule): first difference at \(terminal.paint(divergence.step, .bold))\n"
            + divergence.before.map { "    − \($0)\n" }.joined()
            + divergence.after.map { "    + \($0)\n" }.joined()
    }
}
