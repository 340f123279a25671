import LabResults
import ReportParts

/// A comparison as Markdown, for a pull request. The command `diff` prints it.
package enum DiffMarkdown {
    package static func page(_ diff: RunDiff) -> String {
        let parts = diff.pairs.filter { !$0.isEmpty }.map(section)
        let missing =
            diff.onlyBefore.map { "- only in \(Markdown.code(diff.before)): \($0)\n" }
            + diff.onlyAfter.map { "- only in \(Markdown.code(diff.after)): \($0)\n" }
        let lists = missing.isEmpty ? "" : "\n" + missing.joined()
        return "# \(Markdown.code(diff.before)) and \(Markdown.code(diff.after))\n\n"
            + DiffText.summary(diff) + ".\n" + lists + parts.map { "\n" + $0 }.joined()
    }

    private static func section(_ pair: ScenarioDiff) -> String {
        var text = "## \(Markdown.text(pair.title))\n\n"
        if let verdict = pair.verdict {
            text += "Verdict: \(verdict.before.rawValue) → **\(verdict.after.rawValue)**.\n"
        }
        if let count = pair.schedules {
            text += "Schedules: \(count.before) → \(count.after).\n"
        }
        if !pair.outcomes.isEmpty { text += "\n" + DiffText.outcomes(pair).markdown() }
        let findings =
            pair.newFindings.map { "- new finding: \(Markdown.text(DiffText.line($0)))\n" }
            + pair.goneFindings.map { "- no longer found: \(Markdown.text(DiffText.line($0)))\n" }
        if !findings.isEmpty { text += "\n" + findings.joined() }
        return text + pair.divergences.map { "\n" + self.text(of: $0) }.joined()
    }

    private static func text(of divergence: ScenarioDiff.Divergence) -> String {
        let schedule = Markdown.code(divergence.schedule.joined(separator: " "))
        let lines =
            divergence.before.map { "- \($0)\n" } + divergence.after.map { "+ \($0)\n" }
        return "\(schedule): first difference at \(Markdown.code(divergence.step)):\n\n"
            + Markdown.block(lines.joined(), language: "diff")
    }
}
