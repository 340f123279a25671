import LabResults
import ReportParts

/// The HTML page of an exploration of Swift code. It shows the failure, its schedule and the tried
/// cures.
package enum CodePage {
    package static func file(_ result: CodeResult) -> ReportFile {
        let name = fileName(result)
        let viewer = result.witness.flatMap { self.viewer($0, of: result) }
        let scripts = ViewerScript.parts(viewer.map { [$0] } ?? [])
        let page = Page(
            title: result.name, file: name,
            body: [
                summary(result), reasons(result, isShown: viewer == nil), command(result),
                viewer?.section() ?? .empty,
                cures(result), outcomes(result), story(result, isShown: viewer == nil),
            ],
            styles: scripts.isEmpty ? [] : [ViewerStyle.text], scripts: scripts)
        return ReportFile(name: name, text: page.text(navigation: []))
    }

    /// The letters and digits of the names, joined by hyphens.
    private static func fileName(_ result: CodeResult) -> String {
        let words = [result.name, result.test].map { name in
            name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
                .joined(separator: "-")
        }.filter { !$0.isEmpty }
        return (words.isEmpty ? "exploration" : words.joined(separator: "--")) + ".html"
    }

    private static func viewer(
        _ witness: CodeResult.Witness, of result: CodeResult
    ) -> ScheduleViewer? {
        guard let timeline = witness.timeline, !timeline.steps.isEmpty else { return nil }
        let id = "witness"
        let transcript = Transcript(
            id: id, title: "The schedule", token: witness.token,
            text: witness.story.joined(separator: "\n"), timeline: timeline)
        var findings = witness.findings
        for index in findings.indices { findings[index].transcript = id }
        let scenario = ScenarioResult(
            name: result.name, file: "", sentence: "", mode: .explore,
            schedules: result.schedules, findings: findings, verdict: .failed,
            transcripts: [transcript])
        return ScheduleViewer(scenario, anchor: "code", command: witness.command)
    }

    // MARK: Sections

    private static func summary(_ result: CodeResult) -> HTML {
        let verdict: Verdict = result.witness == nil ? .passed : .failed
        return .element(
            "p",
            [
                .text("span", ["class": "badge \(verdict.look)"], verdict.rawValue),
                HTML(" Schedules: \(RunText.schedules(result.schedules)). \(result.test)"),
            ])
    }

    /// The findings are included only if the schedule viewer does not show them.
    private static func reasons(_ result: CodeResult, isShown: Bool) -> HTML {
        guard let witness = result.witness else { return .empty }
        let findings = witness.findings.map { finding in
            (["\(finding.name): \(finding.prose)"] + finding.proof).joined(separator: "\n  ")
        }
        return HTML(
            (witness.reasons + (isShown ? findings : [])).map {
                .text("pre", ["tabindex": "0"], $0)
            }, separator: "\n")
    }

    private static func command(_ result: CodeResult) -> HTML {
        result.witness.map { CopyButton.command($0.command) } ?? .empty
    }

    private static func cures(_ result: CodeResult) -> HTML {
        guard !result.cures.isEmpty else { return .empty }
        let now =
            result.policies.isEmpty
            ? "" : " Contexts that saved have \(result.policies.joined(separator: ", "))."
        let head = ["changed", "schedules"].map { HTML.text("th", ["scope": "col"], $0) }
        let rows = result.cures.map { cure in
            HTML.element(
                "tr",
                [
                    .element("th", ["scope": "row"], [.code(cure.name)]),
                    .element(
                        "td",
                        [
                            cure.helps
                                ? .text("span", ["class": "badge good"], cure.result)
                                : HTML(cure.result)
                        ]),
                ])
        }
        return HTML(
            [
                .text("h2", "With one thing changed"),
                HTMLTable.wrap(
                    caption: "The same sessions, with one thing changed in every context." + now,
                    head: head, rows: rows),
            ], separator: "\n")
    }

    private static func outcomes(_ result: CodeResult) -> HTML {
        let known = result.outcomes.filter { !$0.key.isEmpty }.sorted { $0.key < $1.key }
        guard !known.isEmpty else { return .empty }
        let head = [
            HTML.text("th", ["scope": "col", "class": "number"], "schedules"),
            .text("th", ["scope": "col"], "observed"),
        ]
        let rows = known.map { text, count in
            HTML.element(
                "tr",
                [
                    .text("td", ["class": "number"], Figures.count(count)),
                    .element("td", [.code(text)]),
                ])
        }
        return HTMLTable.wrap(caption: "Outcomes", head: head, rows: rows)
    }

    private static func story(_ result: CodeResult, isShown: Bool) -> HTML {
        guard isShown, let story = result.witness?.story else { return .empty }
        return .text("pre", ["tabindex": "0"], story.joined(separator: "\n"))
    }
}
