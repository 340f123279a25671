import LabFiles
import LabResults
import ReportParts

/// A run report as text. The commands `run` and `explore` print it.
package struct RunText {
    private let report: RunReport
    private let terminal: Terminal

    package init(_ report: RunReport, terminal: Terminal = .plain) {
        self.report = report
        self.terminal = terminal
    }

    /// One line for each scenario and cell with its reasons, then the counts.
    package func compact() -> String {
        verdictTable() + "\n" + problems()
    }

    /// The scenarios with reasons for their verdict, and the counts at the end, under a title.
    package func short() -> String {
        "\(terminal.paint("Scenarios", .bold))\n\n" + problems()
    }

    /// The scenarios with reasons for their verdict, then the counts.
    private func problems() -> String {
        let told = report.scenarios.filter { !$0.reasons.isEmpty && $0.verdict != .passed }
        return told.map { problem($0) + "\n" }.joined() + summary() + "\n"
    }

    /// Every scenario with its outcomes and findings, then the counts.
    package func full() -> String {
        let parts = report.scenarios.map { scenario in
            title(scenario) + outcomes(scenario) + findings(scenario) + reasons(scenario)
        }
        return parts.joined(separator: "\n") + "\n" + summary() + "\n"
    }

    /// The transcripts of all scenarios. Equal runs have identical transcripts.
    package func transcripts() -> String {
        report.scenarios.flatMap(\.transcripts).map { transcript in
            transcript.text.hasSuffix("\n") ? transcript.text : transcript.text + "\n"
        }.joined(separator: "\n")
    }

    /// For example `9 passed, 1 failed · 812 schedules · 4 findings`.
    package func summary() -> String {
        let counts = report.summary
        let verdicts = Verdict.allCases.filter { counts[$0] > 0 }.map {
            terminal.paint("\(Figures.count(counts[$0])) \($0.rawValue)", $0.colour)
        }
        let cells = verdicts.isEmpty ? "nothing ran" : verdicts.joined(separator: ", ")
        return [
            cells, Figures.count(counts.files, "file"), Figures.count(counts.schedules, "schedule"),
            Figures.count(counts.findings, "finding"),
        ].joined(separator: " · ")
    }

    static func verdicts(of report: RunReport) -> Table {
        var table = Table([
            .init("verdict"), .init("scenario"), .init("cell"), .init("schedules", .right),
            .init("outcomes", .right), .init("findings", .right),
        ])
        for scenario in report.scenarios {
            table.add([
                scenario.verdict.rawValue, scenario.name, scenario.cellText,
                Figures.count(scenario.schedules.explored),
                Figures.count(scenario.outcomes.count { $0.count > 0 }),
                Figures.count(scenario.findings.count),
            ])
        }
        return table.withoutEmptyColumns()
    }

    private func verdictTable() -> String {
        return Self.verdicts(of: report).text { cell, padded in
            terminal.paint(padded, Verdict(rawValue: cell)?.colour)
        }
    }

    private func title(_ scenario: ScenarioResult) -> String {
        let verdict = terminal.paint(scenario.verdict.rawValue, scenario.verdict.colour)
        let cell = scenario.cellText.isEmpty ? "" : " [\(scenario.cellText)]"
        return """
            \(terminal.paint(scenario.name, .bold))\(cell): \(verdict)
              \(scenario.sentence)
              schedules: \(Self.schedules(scenario.schedules))

            """
    }

    /// For example `predicted 70, explored 70 (exhaustive)`.
    static func schedules(_ count: ScheduleCount) -> String {
        var text = count.predicted.map { "predicted \(Figures.count($0)), " } ?? ""
        text += "explored \(Figures.count(count.explored)) (\(count.strategy))"
        if let all = count.represented { text += ", which represent \(Figures.count(all))" }
        if let bound = count.stoppedAt { text += ", stopped at \(bound)" }
        return text
    }

    private func outcomes(_ scenario: ScenarioResult) -> String {
        guard !scenario.outcomes.isEmpty else { return "" }
        var table = Table([
            .init("count", .right), .init("grade"), .init("outcome"), .init("reason"),
        ])
        for outcome in scenario.outcomes {
            table.add([
                Figures.count(outcome.count), outcome.grade.rawValue, outcome.text, outcome.reason,
            ])
        }
        let total = scenario.outcomes.map(\.count).total
        table.add([Figures.count(total), "", "all"])
        let text = table.text(indent: "  ") { cell, padded in
            terminal.paint(padded, Grade(rawValue: cell)?.colour)
        }
        let tokens = scenario.outcomes.filter { $0.grade != .acceptable }.compactMap { outcome in
            outcome.token.map {
                "  \(outcome.grade.rawValue) \(outcome.text): \(scenario.replayLine($0))\n"
            }
        }
        return "\n" + text + tokens.joined()
    }

    private func findings(_ scenario: ScenarioResult) -> String {
        guard !scenario.findings.isEmpty else { return "" }
        return "\n"
            + scenario.findings.map { finding in
                let adya = finding.adya.map { " (\($0))" } ?? ""
                let evidence = finding.proof.map { "      \($0)\n" }.joined()
                let token = finding.token.map { "      \(scenario.replayLine($0))\n" } ?? ""
                let name = terminal.paint(finding.name, .bold)
                return "  finding \(finding.id): \(name)\(adya): \(finding.prose)\n" + evidence
                    + token
            }.joined()
    }

    private func problem(_ scenario: ScenarioResult) -> String {
        let cell = scenario.cellText.isEmpty ? "" : " [\(scenario.cellText)]"
        let verdict = terminal.paint(scenario.verdict.rawValue, scenario.verdict.colour)
        let tokens =
            scenario.verdict == .failed || scenario.verdict == .nondeterministic
            ? scenario.outcomes.filter { $0.grade == .forbidden || $0.grade == .unmatched }
                .compactMap { outcome in outcome.token.map { "  \(scenario.replayLine($0))\n" } }
            : []
        return "\(verdict) \(scenario.file)\(cell)\n" + reasons(scenario) + tokens.joined()
    }

    private func reasons(_ scenario: ScenarioResult) -> String {
        scenario.reasons.map { "  \($0)\n" }.joined()
    }
}
