import ContextHistory
import CoreDataEngine
import CoreDataStore
import LabCheck
import LabResults
import LabScenario

/// The transcript of one schedule: the actions of its steps, the observations and the findings. The
/// text does not contain times, addresses or random ids, so equal runs have equal transcripts.
enum TranscriptText {
    /// Runs a schedule, which is given by the lane of each step.
    ///
    /// - Returns: the names of its steps, and the lines of the events.
    static func run(
        _ path: [UInt8], in world: CellWorld
    ) throws(CoreDataError) -> (names: [String], text: String) {
        world.lab.wantsTranscript = true
        defer { world.lab.wantsTranscript = false }
        try world.reset()
        var names: [String] = []
        for lane in path {
            names.append(world.nextName(lane: Int(lane)) ?? "?")
            try world.run(lane: Int(lane))
        }
        try world.finish()
        return (names, lines(of: world).joined(separator: "\n"))
    }

    /// The lines of the most recent schedule. If it ended in a deadlock, a chart of its threads
    /// follows.
    static func lines(of world: CellWorld) -> [String] {
        let chart = (world.turns as? BatonTurns)?.deadlocked
        return world.lab.recorder.lines + (chart.map { [""] + $0.lines } ?? [])
    }

    static func describe(_ context: CellPlan.Context, _ plan: CellPlan) -> String {
        var parts = [context.type == .mainQueueConcurrencyType ? "main queue" : "private queue"]
        if let parent = context.parent { parts.append("child of \(plan.contexts[parent].name)") }
        if context.coordinator != CellPlan.mainCoordinator {
            parts.append("coordinator \(context.coordinator)")
        }
        if context.parent == nil { parts.append("policy \(context.policyName)") }
        if context.automerge { parts.append("merges automatically") }
        if !context.mergesFrom.isEmpty {
            let names = context.mergesFrom.map { plan.contexts[$0].name }
            parts.append("merges from \(names.joined(separator: ", "))")
        }
        return parts.joined(separator: ", ")
    }

    static func page(
        _ steps: String, runner: CellRunner, token: String, outcome: Outcome,
        findings: [Detection], cycles: [Cycle] = [],
        losses: [(step: String, loss: Timeline.Loss?)] = []
    ) -> String {
        let plan = runner.plan
        let grading = OutcomeGrading(scenario: plan.scenario, cell: plan.cell)
        var lines = ["scenario \(plan.scenario.fullName)"]
        if !plan.cell.values.isEmpty { lines.append("cell     \(plan.cell)") }
        lines.append("token    \(token)")
        for context in plan.contexts {
            lines.append("context  \(context.name): \(describe(context, plan))")
        }
        for line in runner.world.lab.setupLines { lines.append("row      \(line)") }
        lines += ["", steps, ""]
        for (observation, value) in zip(plan.scenario.observations, outcome.values) {
            lines.append("observed \(observation.name.value) = \(value.quoted)")
        }
        let (grade, reason) = CellReport.words(grading.mark(outcome), plan.scenario)
        lines.append("grade    \(grade.rawValue): \(reason)")
        if !losses.isEmpty {
            lines += ["", "losing   the share of the continuations that lose, after each step"]
            let width = losses.map(\.step.count).max() ?? 0
            lines += losses.map { step, loss in
                let name = step + String(repeating: " ", count: width - step.count)
                let interval = loss?.interval.map { ", \($0)" } ?? ""
                return "         \(name)  \(loss?.text ?? "not known")\(interval)"
            }
        }
        for finding in findings {
            lines.append("")
            lines.append("finding  \(finding.name) (\(finding.step)): \(finding.prose)")
            lines += finding.evidence.map { "         - \($0)" }
        }
        for cycle in cycles {
            lines += ["", "cycle    \(cycle.title)"]
            lines += cycle.links.map { "         - \($0)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Finding.Cycle {
    init(_ cycle: Cycle) { self.init(title: cycle.title, links: cycle.links) }
}
