import LabResults

/// The HTML page of a run over scenario files; the report site writes it.
enum RunPage {
    static let file = "scenarios.html"

    static func page(_ report: RunReport, title: String) -> Page {
        let viewers = report.scenarios.enumerated().map {
            ScheduleViewer($0.element, anchor: anchor($0.offset))
        }
        let scripts = ViewerScript.parts(viewers)
        return Page(
            title: title, file: file,
            body: [.paragraph(RunText(report).summary()), table(report)]
                + report.scenarios.enumerated().map {
                    section($0.element, $0.offset, viewers[$0.offset])
                }, styles: scripts.isEmpty ? [] : [ViewerStyle.text], scripts: scripts)
    }

    private static func table(_ report: RunReport) -> HTML {
        let head =
            ["scenario", "cell", "verdict"].map { HTML.text("th", ["scope": "col"], $0) }
            + ["schedules", "outcomes", "findings"].map {
                HTML.text("th", ["scope": "col", "class": "number"], $0)
            }
        let rows = report.scenarios.enumerated().map { index, scenario in
            HTML.element(
                "tr", [:],
                [
                    .element(
                        "th", ["scope": "row"],
                        [.link(scenario.name, to: "#\(anchor(index))")]),
                    .text("td", scenario.cellText),
                    .element("td", [badge(scenario.verdict)]),
                    number(scenario.schedules.explored),
                    number(scenario.outcomes.count { $0.count > 0 }),
                    number(scenario.findings.count),
                ])
        }
        return HTMLTable.wrap(
            caption: "Each scenario in each cell of its matrix", head: head, rows: rows)
    }

    private static func number(_ value: Int) -> HTML {
        .text("td", ["class": "number"], Figures.count(value))
    }

    private static func badge(_ verdict: Verdict) -> HTML {
        .text("span", ["class": "badge \(verdict.look)"], verdict.rawValue)
    }

    private static func anchor(_ index: Int) -> String { "result-\(index + 1)" }

    private static func section(
        _ scenario: ScenarioResult, _ index: Int, _ viewer: ScheduleViewer
    ) -> HTML {
        let cell = scenario.cellText.isEmpty ? "" : " [\(scenario.cellText)]"
        let sources = scenario.references.map { HTML.element("li", [.reference($0)]) }
        let parts: [HTML] = [
            .element("h2", [HTML("\(scenario.name)\(cell) "), badge(scenario.verdict)]),
            .paragraph(scenario.sentence),
            .element(
                "p", ["class": "soft"],
                [
                    HTML("File: "), .code(scenario.file),
                    HTML(". Schedules: \(RunText.schedules(scenario.schedules))."),
                ]),
            sources.isEmpty ? .empty : .element("ul", ["class": "soft"], sources),
            reasons(scenario), outcomes(scenario, viewer),
            viewer.isEmpty ? .empty : viewer.section(),
            findings(scenario.findings.filter { !viewer.shows($0) }, of: scenario),
        ]
        return .block(
            "section", ["id": anchor(index)],
            parts
                + scenario.transcripts.filter { !viewer.shows($0) }
                .map { transcript($0, of: scenario, in: index) })
    }

    private static func reasons(_ scenario: ScenarioResult) -> HTML {
        guard !scenario.reasons.isEmpty else { return .empty }
        return .element("ul", scenario.reasons.map { .text("li", $0) })
    }

    private static func outcomes(_ scenario: ScenarioResult, _ viewer: ScheduleViewer) -> HTML {
        guard !scenario.outcomes.isEmpty else { return .empty }
        let head =
            (viewer.isEmpty ? [] : [HTML.text("th", ["scope": "col"], "show")])
            + [HTML.text("th", ["scope": "col", "class": "number"], "count")]
            + ["grade", "outcome", "reason"].map { HTML.text("th", ["scope": "col"], $0) }
        let rows = scenario.outcomes.map { outcome in
            let choice = viewer.choice(of: outcome)
            let grade = HTML.text(
                "span", ["class": "badge \(outcome.grade.look)"],
                outcome.grade.rawValue)
            let isShown = outcome.grade == .acceptable || !viewer.isEmpty
            let command = isShown ? nil : outcome.token
            return HTML.element(
                "tr", choice == nil ? [:] : ["class": "pickable"],
                (viewer.isEmpty ? [] : [.element("td", [choice ?? .empty])]) + [
                    number(outcome.count), .element("td", [grade]),
                    .element("td", [.code(outcome.text)]),
                    .element(
                        "td", [:],
                        [
                            HTML(outcome.reason),
                            command.map { CopyButton.command(scenario.replayLine($0)) } ?? .empty,
                        ]),
                ])
        }
        let pick = viewer.isEmpty ? "" : "; pick one to see a schedule that leads to it"
        return HTMLTable.wrap(
            caption: "Outcomes of \(scenario.name)\(pick)", head: head, rows: rows)
    }

    private static func findings(_ findings: [Finding], of scenario: ScenarioResult) -> HTML {
        HTML(
            findings.map { finding in
                let adya = finding.adya.map { " (\($0))" } ?? ""
                return .block(
                    "div", ["class": "finding"],
                    [
                        .text("h3", "\(finding.name)\(adya)"), .paragraph(finding.prose),
                        finding.evidence.isEmpty
                            ? .empty
                            : .text(
                                "pre", ["tabindex": "0"], finding.evidence.joined(separator: "\n")),
                        finding.token.map { CopyButton.command(scenario.replayLine($0)) } ?? .empty,
                    ])
            }, separator: "\n")
    }

    private static func transcript(
        _ transcript: Transcript, of scenario: ScenarioResult, in index: Int
    ) -> HTML {
        .block(
            "details", ["id": "\(anchor(index))-\(transcript.id)"],
            [
                .text("summary", transcript.title),
                CopyButton.command(scenario.replayLine(transcript.token)),
                .text("pre", ["tabindex": "0"], transcript.text),
            ])
    }
}

extension Verdict {
    var look: String {
        switch self {
        case .passed: "good"
        case .failed, .nondeterministic: "bad"
        case .interesting, .inconclusive: "warn"
        case .skipped, .pending: "quiet"
        }
    }
}

extension Grade {
    var look: String {
        switch self {
        case .acceptable: "good"
        case .forbidden, .unmatched: "bad"
        case .interesting, .defect: "warn"
        }
    }
}
