import Foundation
import LabResults
import ReportParts

/// Shows the schedules of one scenario in one cell. The page of a run has one viewer for each
/// result. `ViewerScript` makes the viewers interactive.
struct ScheduleViewer {
    private let scenario: ScenarioResult
    /// A unique name on the page.
    private let anchor: String
    private let panels: [Panel]
    /// The command that replays a schedule. Nil to derive it from the scenario.
    private let command: String?

    /// A schedule that can be selected.
    private struct Panel {
        var transcript: Transcript
        var timeline: Timeline
        var outcome: OutcomeResult?
        var findings: [Finding]
    }

    init(_ scenario: ScenarioResult, anchor: String, command: String? = nil) {
        self.command = command
        self.scenario = scenario
        self.anchor = anchor
        panels = scenario.transcripts.compactMap { transcript in
            guard let timeline = transcript.timeline else { return nil }
            return Panel(
                transcript: transcript, timeline: timeline,
                outcome: scenario.outcomes.first { $0.transcript == transcript.id },
                findings: scenario.findings.filter { $0.transcript == transcript.id })
        }
    }

    /// Whether there are no timelines. The page then shows the transcripts as text.
    var isEmpty: Bool { panels.isEmpty }

    func shows(_ transcript: Transcript) -> Bool { transcript.timeline != nil }

    func shows(_ finding: Finding) -> Bool {
        panels.contains { $0.transcript.id == finding.transcript }
    }

    /// The timelines by the ids of their panels, for the script.
    var data: [String: Timeline] {
        Dictionary(
            panels.enumerated().map { (id($0.offset), $0.element.timeline) },
            uniquingKeysWith: { first, _ in first })
    }

    /// A control that selects the schedule of an outcome. Nil if the outcome has no schedule.
    func choice(of outcome: OutcomeResult) -> HTML? {
        guard let index = panels.firstIndex(where: { $0.transcript.id == outcome.transcript })
        else { return nil }
        return radio(index, label: "Show a schedule that leads to \(outcome.text)")
    }

    /// The page shows one panel at a time.
    func section() -> HTML {
        .block(
            "div", ["class": "viewer", "id": "\(anchor)-viewer"],
            [moreChoices] + panels.indices.map(panel))
    }

    private func id(_ index: Int) -> String { "\(anchor)-schedule-\(index + 1)" }

    private func radio(_ index: Int, label: String) -> HTML {
        let isPicked = index == first
        let name = "\(anchor)-schedule"
        return isPicked
            ? .void(
                "input",
                [
                    "type": "radio", "name": name, "value": id(index), "aria-label": label,
                    "checked": "checked",
                ])
            : .void(
                "input",
                ["type": "radio", "name": name, "value": id(index), "aria-label": label])
    }

    /// If possible, a schedule with a problem is shown first.
    private var first: Int {
        panels.firstIndex { $0.outcome != nil && !$0.findings.isEmpty }
            ?? panels.firstIndex { $0.outcome.map { $0.grade != .acceptable } ?? false }
            ?? panels.firstIndex { $0.outcome != nil } ?? 0
    }

    /// Controls for the schedules that belong to a finding but to no outcome.
    private var moreChoices: HTML {
        let others = panels.indices.filter { panels[$0].outcome == nil }
        guard !others.isEmpty, panels.count > 1 else { return .empty }
        let choices = others.map { index in
            let name = panels[index].findings.first.map(Self.name) ?? "another schedule"
            return HTML.element(
                "label", ["class": "choice"],
                [radio(index, label: "Show a schedule with \(name)"), HTML(" \(name)")])
        }
        return .block(
            "fieldset", ["class": "more"], [.text("legend", "Other witnesses")] + choices)
    }

    private static func name(_ finding: Finding) -> String {
        finding.step.map { "\(finding.name) in \($0)" } ?? finding.name
    }

    // MARK: Panels

    private func panel(_ index: Int) -> HTML {
        let panel = panels[index]
        let token = panel.transcript.token
        let chart = LaneChart(timeline: panel.timeline, outcome: panel.outcome)
        return .block(
            "div",
            [
                "class": index == first ? "panel picked" : "panel", "id": id(index),
                "data-first": String(firstStep(panel)),
            ],
            [
                .element(
                    "p", ["class": "command"],
                    [
                        .element("span", ["class": "token"], [.code(token)]),
                        CopyButton.button("Copy token", copies: token),
                        CopyButton.button(
                            "Copy command", copies: command ?? scenario.replayLine(token)),
                    ]),
                HTML(panel.findings.map { overlay($0, in: panel) }, separator: "\n"),
                .block(
                    "div", ["class": "stage"],
                    [
                        .block("div", ["class": "chart"], [chart.table()]),
                        .block(
                            "div",
                            [
                                "class": "inspector", "role": "region",
                                "aria-label": "State before and after the step",
                            ],
                            [.paragraph(Self.hint, class: "soft")]),
                    ]),
                .block(
                    "details", ["id": "\(anchor)-\(panel.transcript.id)"],
                    [
                        .text("summary", "Transcript"),
                        .text("pre", ["tabindex": "0"], panel.transcript.text),
                    ]),
            ])
    }

    private static let hint =
        "Point at a step, or move with the arrow keys, to see the state before and after it."

    /// The step that completes the finding, or the last step.
    private func firstStep(_ panel: Panel) -> Int {
        let steps = panel.timeline.steps
        let wanted = panel.findings.first.flatMap { finding in
            steps.firstIndex { $0.name == finding.step }
        }
        return wanted ?? max(0, steps.count - 1)
    }

    /// A finding, with a button that marks its steps in the chart.
    private func overlay(_ finding: Finding, in panel: Panel) -> HTML {
        let adya = finding.adya.map { " (\($0))" } ?? ""
        let rows = Self.steps(of: finding, in: panel.timeline).map(String.init)
        return .block(
            "div", ["class": "finding"],
            [
                .element(
                    "p",
                    [
                        .text(
                            "button",
                            [
                                "type": "button", "class": "overlay", "aria-pressed": "false",
                                "data-steps": rows.joined(separator: " "),
                            ], "Mark in the chart"),
                        HTML(" "), .text("strong", finding.name + adya),
                        HTML(": \(finding.prose)"),
                    ]),
                finding.evidence.isEmpty
                    ? .empty : .element("ul", finding.evidence.map { .text("li", $0) }),
                finding.cycle.map { cycle in
                    .block(
                        "div", ["class": "cycle"],
                        [
                            .paragraph(cycle.title),
                            .element("ol", cycle.links.map { .text("li", $0) }),
                        ])
                } ?? .empty,
            ])
    }

    /// The steps that prove a finding, in the order of the schedule and without duplicates.
    static func steps(of finding: Finding, in timeline: Timeline) -> [Int] {
        let named = finding.evidence.compactMap { line in
            line.firstRange(of: ": ").map { String(line[..<$0.lowerBound]) }
        }
        let names = Set(named + [finding.step].compactMap(\.self))
        return timeline.steps.indices.filter { names.contains(timeline.steps[$0].name) }
    }
}
