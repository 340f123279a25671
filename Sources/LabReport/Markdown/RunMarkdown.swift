import LabResults
import ReportParts

/// A run report as a Markdown page.
package enum RunMarkdown {
    package static func page(_ report: RunReport, title: String) -> String {
        let sections = report.scenarios.map(section).joined(separator: "\n")
        return "# \(title)\n\n\(RunText(report).summary())\n\n\(table(report))\n\(sections)"
    }

    static func table(_ report: RunReport) -> String {
        return RunText.verdicts(of: report).markdown()
    }

    private static func section(_ scenario: ScenarioResult) -> String {
        let cell = scenario.cellText.isEmpty ? "" : " [\(scenario.cellText)]"
        var text = "## \(scenario.name)\(cell): \(scenario.verdict.rawValue)\n\n"
        text += "\(Markdown.text(scenario.sentence))\n\n"
        text += "Schedules: \(RunText.schedules(scenario.schedules)).\n"
        if !scenario.outcomes.isEmpty { text += "\n" + outcomes(scenario) }
        if !scenario.findings.isEmpty { text += "\n" + findings(scenario) }
        if !scenario.reasons.isEmpty {
            text += "\n" + scenario.reasons.map { "- \(Markdown.text($0))\n" }.joined()
        }
        return text
    }

    private static func outcomes(_ scenario: ScenarioResult) -> String {
        var table = Table([
            .init("count", .right), .init("grade"), .init("outcome"), .init("reason"),
            .init("token"),
        ])
        for outcome in scenario.outcomes {
            table.add([
                Figures.count(outcome.count), outcome.grade.rawValue, outcome.text, outcome.reason,
                outcome.token.map(Markdown.code) ?? "",
            ])
        }
        return table.withoutEmptyColumns().markdown()
    }

    private static func findings(_ scenario: ScenarioResult) -> String {
        scenario.findings.map { finding in
            let adya = finding.adya.map { " (\($0))" } ?? ""
            let token = finding.token.map { " " + Markdown.code($0) } ?? ""
            let cycle = finding.cycle.map { cycle in
                ([cycle.title] + cycle.links).map { "  - \(Markdown.text($0))\n" }.joined()
            }
            return "- **\(finding.name)**\(adya): \(Markdown.text(finding.prose))\(token)\n"
                + (cycle ?? "")
        }.joined()
    }
}
