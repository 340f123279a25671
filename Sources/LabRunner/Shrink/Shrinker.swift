import ContextHistory
import CoreDataStore
import LabCheck
import LabFiles
import LabScenario
import LabSchedule

/// Makes a scenario smaller while it has the same finding or outcome. Cuts sessions, steps, rows,
/// contexts and attributes, and then reduces the number of switches. The suite creates one shrinker
/// for each target.
///
/// A cut is kept if the file is still valid, and the schedule without the removed steps still shows
/// the target. If it no longer does, a few hundred other schedules are tried.
struct Shrinker {
    /// The finding or outcome that must remain.
    struct Target {
        /// The finding, with the step in which it appeared; nil if the target is an outcome.
        let finding: (name: String, step: String)?
        /// The names of the observations that show the target, with the observed values.
        let observed: [(name: String, value: ObservedValue)]

        /// Whether a schedule that has just finished ends with these values.
        func isObserved(in world: CellWorld) -> Bool {
            let names = world.lab.plan.scenario.observations.map(\.name.value)
            return observed.allSatisfy { name, value in
                names.firstIndex(of: name).map { world.outcome.values[$0] == value } ?? false
            }
        }

        /// Whether a schedule that has just finished has the finding in any step. If the target is
        /// an outcome, whether the schedule ends with its values.
        func isShown(in world: CellWorld) -> Bool {
            guard let finding else { return isObserved(in: world) }
            return world.findings.contains { $0.name == finding.name }
        }

        var text: String {
            finding?.name
                ?? "(" + observed.map { "\($0.name) = \($0.value)" }.joined(separator: ", ") + ")"
        }
    }

    /// A document with a schedule that shows the target.
    struct Candidate {
        var document: ScenarioDocument
        var names: [String]
        var detection: Detection?
    }

    let suite: ScenarioSuite
    let file: String
    let folder: WorkingFolder
    let target: Target
    let deadline: ContinuousClock.Instant
    /// The number of other schedules to try if the current one no longer shows the finding.
    private let searchMax = 300
    private(set) var best: Candidate
    private(set) var executions = 0
    var progress: ProgressSink

    init(
        suite: ScenarioSuite, file: String, folder: WorkingFolder, start: Candidate,
        target: Target, deadline: ContinuousClock.Instant, progress: @escaping ProgressSink
    ) {
        self.suite = suite
        self.file = file
        self.folder = folder
        self.deadline = deadline
        self.progress = progress
        self.target = target
        best = start
    }

    var isOutOfTime: Bool { ContinuousClock.now >= deadline }

    mutating func run() {
        for key in [
            "refs", "notes", "kind", "bug", "pinned", "schedules", "explore",
            "invariants", "pending",
        ] { attempt { $0.remove([key]) } }
        var before = ""
        while before != best.document.yaml, !isOutOfTime {
            before = best.document.yaml
            cutSessions()
            cutSteps()
            cutNames()
            cutParts()
            cutSurroundings()
        }
        reduceSwitches()
    }

    // MARK: Trying

    @discardableResult
    mutating func attempt(_ cut: (inout ScenarioDocument) -> Void) -> Bool {
        if isOutOfTime { return false }
        var document = best.document
        cut(&document)
        guard document.yaml != best.document.yaml, let found = search(document) else {
            return false
        }
        best = found
        progress(ProgressUpdate("shrink \(target.text)", completed: executions, total: nil))
        return true
    }

    private mutating func search(_ document: ScenarioDocument) -> Candidate? {
        guard let runner = try? makeRunner(document) else { return nil }
        defer { runner.world.lab.store.close() }
        let world = runner.world
        executions += 1
        if let replayed = try? Replay(plan: runner.plan.schedulePlan).run(best.names, in: world),
            isMet(in: world)
        {
            return Candidate(
                document: document, names: replayed.steps, detection: detection(in: world))
        }
        var explorer = Explorer(plan: runner.plan.schedulePlan, limit: searchMax)
        explorer.strategy = runner.plan.schedulePlan.isOpen ? .bounded(2) : .reduced
        guard let path = find(explorer, world) else { return nil }
        return candidate(document, path, runner)
    }

    private mutating func find(_ explorer: Explorer, _ world: CellWorld) -> [UInt8]? {
        var found: [UInt8]?
        var runs = 0
        _ = try? explorer.explore(world) { (schedule) throws(CoreDataError) in
            runs += 1
            if isMet(in: world) { found = schedule.path }
            return found == nil
        }
        executions += runs
        return found
    }

    private func candidate(
        _ document: ScenarioDocument, _ path: [UInt8], _ runner: CellRunner
    ) -> Candidate? {
        guard let names = try? TranscriptText.run(path, in: runner.world).names,
            isMet(in: runner.world)
        else { return nil }
        return Candidate(
            document: document, names: names, detection: detection(in: runner.world))
    }

    private func isMet(in world: CellWorld) -> Bool {
        target.isObserved(in: world) && (target.finding == nil || detection(in: world) != nil)
    }

    private func detection(in world: CellWorld) -> Detection? {
        guard let finding = target.finding else { return nil }
        return world.findings.first { $0.name == finding.name && $0.step == finding.step }
    }

    func makeRunner(_ document: ScenarioDocument) throws(InputErrors) -> CellRunner {
        let loader = ScenarioLoader(suite.options)
        let scenario: Scenario
        do throws(ScenarioProblems) {
            scenario = try loader.reader.read([UInt8](document.yaml.utf8), file: file)
        } catch {
            throw InputErrors(error)
        }
        let loaded = try loader.prepare(scenario)
        return try suite.makeRunner(loaded, loaded.scenario.cells[0], folder)
    }

    // MARK: The schedule

    private mutating func reduceSwitches() {
        guard let runner = try? makeRunner(best.document) else { return }
        defer { runner.world.lab.store.close() }
        for bound in 0...8 where !isOutOfTime {
            var explorer = Explorer(plan: runner.plan.schedulePlan, limit: 5_000)
            explorer.strategy = .bounded(bound)
            if let path = find(explorer, runner.world),
                let found = candidate(best.document, path, runner)
            {
                best = found
                return
            }
        }
    }
}
