import LabResults
import ReportParts

/// The HTML page of a run over scenario files.
enum RunPage {
    static let file = "scenarios.html"

    static func page(_ report: RunReport, title: String) -> Page {
        var anchors = Anchors()
        let ids = report.scenarios.map { anchors.id("scenario", $0.name, $0.cellText) }
        let viewers = zip(report.scenarios, ids).map { ScheduleViewer($0, anchor: $1) }
        let scripts = ViewerScript.parts(viewers)
        return Page(
            title: title, file: file,
            body: [.paragraph(RunText(report).summary()), table(report, ids)]
                + report.scenarios.enumerated().map {
                    section($0.element, ids[$0.offset], viewers[$0.offset])
                }, styles: scripts.isEmpty ? [] : [ViewerStyle.text],
            scripts: scripts + [TableTools.script])
    }

    private static let columns: [Table.Column] = [
        .init("scenario"), .init("cell"), .init("verdict"), .init("schedules", .right),
        .init("outcomes", .right), .init("findings", .right),
    ]

    private static func table(_ report: RunReport, _ ids: [String]) -> HTML {
        let rows = zip(report.scenarios, ids).map { scenario, id in
            HTML.element(
                "tr", [:],
                [
                    .element(
                        "th", ["scope": "row"],
                        [.link(scenario.name, to: "#\(id)")])
                ]
                    + zip(
                        [
                            HTML(scenario.cellText), badge(scenario.verdict),
                            HTML(Figures.count(scenario.schedules.explored)),
                            HTML(Figures.count(scenario.outcomes.count { $0.count > 0 })),
                            HTML(Figures.count(scenario.findings.count)),
                        ], columns.dropFirst()
                    ).map { HTMLTable.cell([$0], of: $1) })
        }
        return HTMLTable.wrap(
            caption: "Each scenario in each cell of its matrix", head: HTMLTable.head(columns),
            rows: rows, filters: ["verdict", "cell"])
    }

    private static func badge(_ verdict: Verdict) -> HTML {
        .text("span", ["class": "badge \(verdict.look)"], verdict.rawValue)
    }

    private static func section(
        _ scenario: ScenarioResult, _ id: String, _ viewer: ScheduleViewer
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
            "section", ["id": id],
            parts
                + scenario.transcripts.filter { !viewer.shows($0) }
                .map { transcript($0, of: scenario, in: id) })
    }

    private static func reasons(_ scenario: ScenarioResult) -> HTML {
        guard !scenario.reasons.isEmpty else { return .empty }
        return .element("ul", scenario.reasons.map { .text("li", $0) })
    }

    private static func outcomes(_ scenario: ScenarioResult, _ viewer: ScheduleViewer) -> HTML {
        guard !scenario.outcomes.isEmpty else { return .empty }
        let columns =
            (viewer.isEmpty ? [] : [Table.Column("show")])
            + [
                .init("count", .right), .init("grade"), .init("outcome"), .init("reason"),
            ]
        let rows = scenario.outcomes.map { outcome in
            let choice = viewer.choice(of: outcome)
            let grade = HTML.text(
                "span", ["class": "badge \(outcome.grade.look)"],
                outcome.grade.rawValue)
            let isShown = outcome.grade == .acceptable || !viewer.isEmpty
            let command = isShown ? nil : outcome.token
            let reason = [
                HTML(outcome.reason),
                command.map { CopyButton.command(scenario.replayLine($0)) } ?? .empty,
            ]
            let contents: [[HTML]] =
                (viewer.isEmpty ? [] : [choice.map { [$0] } ?? []])
                + [[HTML(Figures.count(outcome.count))], [grade], [.code(outcome.text)], reason]
            return HTML.element(
                "tr", choice == nil ? [:] : ["class": "pickable"],
                zip(contents, columns).map { HTMLTable.cell($0, of: $1) })
        }
        let pick = viewer.isEmpty ? "" : "; pick one to see a schedule that leads to it"
        return HTMLTable.wrap(
            caption: "Outcomes of \(scenario.name)\(pick)", head: HTMLTable.head(columns),
            rows: rows, class: "stack")
    }

    private static func findings(_ findings: [Finding], of scenario: ScenarioResult) -> HTML {
        HTML(
            findings.map { finding in
                let adya = finding.adya.map { " (\($0))" } ?? ""
                return .block(
                    "div", ["class": "finding"],
                    [
                        .text("h3", "\(finding.name)\(adya)"), .paragraph(finding.prose),
                        finding.proof.isEmpty
                            ? .empty
                            : .text(
                                "pre", ["tabindex": "0"], finding.proof.joined(separator: "\n")),
                        finding.token.map { CopyButton.command(scenario.replayLine($0)) } ?? .empty,
                    ])
            }, separator: "\n")
    }

    private static func transcript(
        _ transcript: Transcript, of scenario: ScenarioResult, in id: String
    ) -> HTML {
        .block(
            "details", ["id": "\(id)-\(transcript.id)"],
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
