import LabResults
import ReportParts

/// A schedule as a table. Each column, or lane, represents a thread, a context, a queue or the
/// store. Each row is a step, with its effects on other lanes.
struct LaneChart {
    let timeline: Timeline
    let outcome: OutcomeResult?

    func table() -> HTML {
        .block(
            "table", ["class": "lanes"],
            [
                .text(
                    "caption",
                    "Time runs downward. Each column shows the state of a context, a queue or the"
                        + " store."),
                .element("thead", [.element("tr", [Self.corner] + timeline.lanes.map(head))]),
                .block("tbody", [start] + rows() + [end]),
            ])
    }

    private static let corner = HTML.text("th", ["scope": "col"], "step")

    private func head(_ lane: Timeline.Lane) -> HTML {
        .element(
            "th", ["scope": "col", "class": lane.kind.rawValue],
            [
                .text("span", ["class": "lane-name"], lane.name),
                .text("span", ["class": "detail"], lane.detail),
            ])
    }

    private var start: HTML {
        .element(
            "tr", ["class": "edge"],
            [.text("th", ["scope": "row"], "start")]
                + timeline.start.map { items in
                    .element("td", Self.few(items.map(Self.summary)))
                })
    }

    private var end: HTML {
        guard let outcome else { return .empty }
        return .element(
            "tr", ["class": "edge"],
            [
                .text("th", ["scope": "row"], "end"),
                .element(
                    "td", ["colspan": String(timeline.lanes.count)],
                    [
                        .text(
                            "span", ["class": "badge \(outcome.grade.look)"],
                            outcome.grade.rawValue), HTML(" "), .code(outcome.text),
                    ]),
            ])
    }

    private func rows() -> [HTML] {
        var state = timeline.start
        return timeline.steps.enumerated().map { index, step in
            let cells = timeline.lanes.indices.map { lane in
                cell(lane, of: step, before: state[lane])
            }
            for change in step.changes { state[change.lane] = change.items }
            return .element(
                "tr", ["data-step": String(index)],
                [
                    .element(
                        "th", ["scope": "row"],
                        [
                            .text(
                                "button",
                                ["type": "button", "class": "step", "aria-pressed": "false"],
                                step.name),
                            step.loss.map { loss in
                                .text(
                                    "span",
                                    [
                                        "class": "loss",
                                        "title": "Continuations that lose: "
                                            + (loss.interval ?? "exact"),
                                    ], " " + loss.text)
                            } ?? .empty,
                        ])
                ] + cells)
        }
    }

    private func cell(
        _ lane: Int, of step: Timeline.Step, before: [Timeline.Item]
    ) -> HTML {
        let after = step.changes.first { $0.lane == lane }?.items
        if lane == step.lane {
            let lines = step.lines.filter { !$0.isDetail }
            // A thread's cell also shows the locks that the thread holds or waits for.
            let taken = timeline.lanes[lane].kind == .thread ? after : nil
            return .element(
                "td", ["class": "acts", "data-lane": String(lane)],
                lines.map { .element("code", ["class": "line"], [HTML($0.text)]) }
                    + (taken.map { Self.few(Self.delta(before, $0)) } ?? []))
        }
        guard let after else { return .element("td", ["data-lane": String(lane)], []) }
        let isTaken = after.count < before.count && timeline.lanes[lane].kind == .mailbox
        return .element(
            "td",
            [
                "class": isTaken ? "changed taken" : "changed", "data-lane": String(lane),
            ], Self.few(Self.delta(before, after)))
    }

    // MARK: Changes

    private static func few(_ lines: [String]) -> [HTML] {
        let shown = lines.count > 5 ? Array(lines.prefix(4)) : lines
        let rest = lines.count - shown.count
        return (shown + (rest > 0 ? ["and \(rest) more"] : [])).map {
            .text("span", ["class": "line"], $0)
        }
    }

    private static func summary(_ item: Timeline.Item) -> String {
        let values = item.values.isEmpty ? "" : ": " + item.values.joined(separator: ", ")
        return "\(item.name) (\(item.mark))\(values)"
    }

    static func delta(_ before: [Timeline.Item], _ after: [Timeline.Item]) -> [String] {
        let old = Dictionary(before.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
        let names = Set(after.map(\.name))
        var lines = before.filter { !names.contains($0.name) }.map { "− \($0.name)" }
        for item in after {
            guard let was = old[item.name] else {
                lines.append("+ \(summary(item))")
                continue
            }
            let parts = changes(was, item)
            if !parts.isEmpty { lines.append("\(item.name): \(parts.joined(separator: ", "))") }
        }
        return lines.isEmpty ? ["the same in another order"] : lines
    }

    private static func changes(_ was: Timeline.Item, _ item: Timeline.Item) -> [String] {
        var parts = was.mark == item.mark ? [] : ["\(was.mark) → \(item.mark)"]
        guard !was.values.isEmpty else { return parts + item.values }
        for (old, new) in zip(was.values, item.values) where old != new {
            let end = new.firstRange(of: " = ")?.upperBound ?? new.startIndex
            parts.append("\(old) → \(new[end...])")
        }
        return parts
    }
}
