import ContextHistory
import CoreDataStore
import Foundation
import LabCheck
import LabFiles
import LabResults
import LabScenario
import LabSchedule

/// Writes the shrunk scenario with its outcomes, its golden transcript and a description, and runs
/// the written file.
struct ShrunkFile {
    let shrinker: Shrinker
    let kind: ShrunkScenario.Kind

    private struct Collected {
        var outcomes: [Outcome] = []
        /// The outcomes of schedules with the target, and of schedules without it.
        var shown: Set<Outcome> = []
        var others: Set<Outcome> = []
        var isComplete = false
    }

    private var target: Shrinker.Target { shrinker.target }

    func make() throws(InputErrors) -> ShrunkScenario {
        var document = shrinker.best.document
        let old = document.text(["name"]) ?? "scenario"
        let name = "\(old)-small"
        document.set(["name"], name, isPlain: true)
        document.set(
            ["about"],
            target.finding == nil
                ? "No schedule has this outcome: \(target.text)."
                : "No schedule has this finding: \(target.text).")
        if kind == .reproduction { addStatuses(&document) }
        let collected = try collect(document)
        grade(collected, in: &document)
        // A run that ends at a limit counts as complete only if the file states the limit. So the
        // default limit is written to the file.
        if !collected.isComplete {
            document.setMapping(["explore"])
            document.set(["explore", "limit"], String(ExploreSpec.defaultLimit), isPlain: true)
        }
        if kind == .reproduction {
            document.setMapping(["pinned"])
            let names = shrinker.best.names.joined(separator: " ")
            document.set(["pinned", "witness"], names, isPlain: !names.contains("~"))
        }
        let runner = try shrinker.makeRunner(document)
        defer { runner.world.lab.store.close() }
        try check(runner)
        let golden = try PinnedRuns(runner: runner).run().first
        let token = runner.token(shrinker.best.names)
        return ShrunkScenario(
            name: name, yaml: document.yaml,
            golden: golden.map {
                ($0.text, URL(fileURLWithPath: $0.path).lastPathComponent)
            }, paragraph: paragraph(document, token, file: "\(name).yaml"), token: token,
            sessions: document.keys(["sessions"]).count, steps: document.allSteps.count,
            executions: shrinker.executions, isUnfinished: shrinker.isOutOfTime)
    }

    private func addStatuses(_ document: inout ScenarioDocument) {
        let observed = document.keys(["observe"])
        let lines = observed.compactMap { document.text(["observe", $0]) }
        for step in document.allSteps {
            guard let name = step.last, document.text(step)?.contains("save") ?? false,
                !observed.contains(name), !lines.contains("status \(name)")
            else { continue }
            document.set(["observe", name], "status \(name)", isPlain: true)
        }
    }

    /// Runs the schedules of the small scenario with the limit and the seed of its file.
    private func collect(_ document: ScenarioDocument) throws(InputErrors) -> Collected {
        let runner = try shrinker.makeRunner(document)
        defer { runner.world.lab.store.close() }
        let world = runner.world
        var collected = Collected()
        let explore = runner.plan.scenario.explore
        let explorer = Explorer(
            plan: runner.plan.schedulePlan, limit: explore.limit, seed: explore.seed)
        let summary = try? explorer.explore(world) { (_) throws(CoreDataError) in
            let outcome = world.outcome
            if !collected.outcomes.contains(outcome) { collected.outcomes.append(outcome) }
            if target.isShown(in: world) {
                collected.shown.insert(outcome)
            } else {
                collected.others.insert(outcome)
            }
            return true
        }
        collected.isComplete = summary?.isComplete ?? false
        return collected
    }

    private func grade(_ collected: Collected, in document: inout ScenarioDocument) {
        let names = document.keys(["observe"])
        func values(_ outcome: Outcome) -> [(name: String, value: ObservedValue?)] {
            zip(names, outcome.values).map { ($0, $1) }
        }
        switch kind {
        case .reproduction:
            document.setOutcomes(
                collected.outcomes.map { outcome in
                    let isShown = collected.shown.contains(outcome)
                    return .init(
                        grade: isShown ? "defect" : "acceptable", values: values(outcome),
                        finding: isShown ? target.finding?.name : nil,
                        because: isShown
                            ? "Schedules with this outcome show the bug."
                            : "No schedule with this outcome shows the bug.")
                })
        case .test:
            // An outcome must not be forbidden if schedules without the bug have it, too.
            let bad = collected.outcomes.filter {
                collected.shown.contains($0) && !collected.others.contains($0)
            }
            document.setOutcomes(
                bad.map { outcome in
                    .init(
                        grade: "forbidden", values: values(outcome),
                        because: "Schedules with this outcome show \(target.text).")
                } + [.anything(names, grade: "acceptable", because: "All other outcomes are ok.")])
            let invariant = Invariant.allCases.first { invariant in
                target.finding.map { invariant.findings.contains($0.name) } ?? false
            }
            if let invariant { document.setList(["invariants"], [invariant.rawValue]) }
        }
    }

    /// Runs the written scenario: a reproduction must pass, a test must fail, and the witness must
    /// show the target.
    private func check(_ runner: CellRunner) throws(InputErrors) {
        let world = runner.world
        let replayed = try? Replay(plan: runner.plan.schedulePlan)
            .run(shrinker.best.names, in: world)
        let isShown = replayed?.adaptations.isEmpty ?? false && target.isShown(in: world)
        let judgement = try runner.explore { _ in }.judgement
        let wanted: Judgement.Verdict = kind == .reproduction ? .passed : .failed
        if isShown, judgement.verdict == wanted { return }
        let why = judgement.reasons.first.map { ": \($0)" } ?? ""
        throw InputErrors([
            InputError(
                file: shrinker.file,
                problem: "the small scenario cannot be returned as a \(kind.rawValue), because it"
                    + " is \(judgement.verdict.rawValue) when it runs\(why)",
                remedy: kind == .test
                    ? "observe the lost value, or use reproduction" : "report this with the token")
        ])
    }

    private func paragraph(
        _ document: ScenarioDocument, _ token: String, file: String
    ) -> String {
        let steps = document.allSteps.map { path in
            "\(path[3]) on \(document.text(["sessions", path[1], "context"]) ?? "?"):"
                + " \(document.text(path) ?? "")"
        }
        let order = shrinker.best.names.joined(separator: ", ")
        return "\(head) It takes \(document.keys(["sessions"]).count) sessions with"
            + " \(steps.count) steps (\(steps.joined(separator: "; "))), run in the order \(order)."
            + " Replay it with: \(ReplayLine.text(token, file: file))\n"
    }

    private var head: String {
        guard let detection = shrinker.best.detection else { return "Outcome \(target.text)." }
        let kind = detection.adya.map { "\(detection.name) (\($0))" } ?? detection.name
        return "\(kind.prefix(1).uppercased() + kind.dropFirst()): \(detection.prose)"
    }
}

extension ScenarioDocument {
    /// An outcome to write to the file. A value that is nil matches any value.
    struct Outcome {
        let grade: String
        let values: [(name: String, value: ObservedValue?)]
        var finding: String?
        let because: String

        static func anything(
            _ names: [String], grade: String = "interesting",
            because: String = "Any values are accepted; only the finding matters."
        ) -> Outcome {
            Outcome(grade: grade, values: names.prefix(1).map { ($0, nil) }, because: because)
        }
    }

    mutating func setOutcomes(_ outcomes: [Outcome]) {
        setList(["outcomes"], outcomes.map { _ in "" })
        for (index, outcome) in outcomes.enumerated() {
            let path = ["outcomes", String(index)]
            setMapping(path)
            set(path + ["grade"], outcome.grade, isPlain: true)
            setMapping(path + ["is"])
            for (name, value) in outcome.values.sorted(by: { $0.name < $1.name }) {
                set(path + ["is", name], value)
            }
            if let finding = outcome.finding { set(path + ["finding"], finding, isPlain: true) }
            set(path + ["because"], outcome.because, isPlain: true)
        }
    }

    private mutating func set(_ path: Path, _ value: ObservedValue?) {
        guard let value else { return set(path, "*") }
        if case .list(let values) = value {
            return setList(path, values.map { ($0.description, !$0.isText) })
        }
        set(path, value.description, isPlain: !value.isText)
    }
}

extension ObservedValue {
    /// Whether the value must be quoted in the file to be read as a string.
    fileprivate var isText: Bool {
        switch self {
        case .text, .object, .none: true
        case .null, .flag, .integer, .number, .list, .unknown: false
        }
    }
}
