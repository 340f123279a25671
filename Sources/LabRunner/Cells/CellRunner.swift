import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabCheck
import LabResults
import LabScenario
import LabSchedule

/// Runs one scenario in one cell of its matrix: explores, grades, and replays the first schedule
/// of each outcome for its transcript. Suites make one for each cell.
struct CellRunner {
    let loaded: LoadedScenario
    let plan: CellPlan
    let world: CellWorld
    /// A world that runs steps to their end, for one session after another.
    private let inlineWorld: CellWorld
    /// Real threads, where the scenario asks for them; `world` then runs steps inline for commands
    /// that need an order.
    let threads: ThreadsWorld?
    let options: SuiteOptions

    /// - Parameter isProbed: whether the store is opened once before anything runs, so that one
    ///   that cannot be is told as the file's mistake.
    init(
        _ loaded: LoadedScenario, cell: MatrixCell, options: SuiteOptions, folder: String,
        isProbed: Bool = true
    ) throws(InputErrors) {
        self.loaded = loaded
        self.options = options
        let plan = CellPlan(scenario: loaded.scenario, cell: cell, policies: options.policies)
        self.plan = plan
        try Self.check(plan)
        do throws(CoreDataError) {
            let template = try StoreTemplate.make(loaded, cell: cell, folder: folder)
            let others = Set(plan.contexts.map(\.coordinator)).subtracting([
                CellPlan.mainCoordinator
            ])
            let store = StoreStage(
                template: template, model: loaded.model,
                coordinators: [CellPlan.mainCoordinator] + others.sorted(), folder: folder,
                waitsForLocks: loaded.scenario.mode == .threads)
            let layout = try ModelBinding.of(loaded.model).layout
            func lab() -> LabWorld {
                LabWorld(plan: plan, template: template, store: store, layout: layout)
            }
            let inline = CellWorld(lab())
            inlineWorld = inline
            world =
                loaded.scenario.mode == .baton
                ? CellWorld(lab(), turns: BatonTurns.init) : inline
            threads =
                loaded.scenario.mode == .threads
                ? ThreadsWorld(plan: plan, template: template, store: store, layout: layout) : nil
            if isProbed { try world.reset() }
        } catch {
            throw Self.storeProblem(loaded.scenario, error)
        }
    }

    private static func check(_ plan: CellPlan) throws(InputErrors) {
        let scenario = plan.scenario
        if let stuck = plan.stepPlan.stuckSteps.first {
            let place = scenario.after.first { $0.step.value == stuck } ?? scenario.after.first
            throw InputErrors([
                InputError(
                    scenario.file, place?.step.position ?? .start,
                    "the step '\(stuck)' can never run, because orders wait for each other",
                    "remove one of the lines under 'after'")
            ])
        }
        if plan.schedulePlan.laneCount > SchedulePlan.laneMax {
            throw InputErrors([
                InputError(
                    scenario.file, scenario.sessions[0].name.position,
                    "there are \(plan.schedulePlan.laneCount) sessions and mailboxes",
                    "keep to \(SchedulePlan.laneMax)")
            ])
        }
    }

    private static func storeProblem(_ scenario: Scenario, _ error: CoreDataError) -> InputErrors {
        let position = scenario.store.copyOf?.position ?? scenario.setup.first?.name.position
        return InputErrors([
            InputError(
                scenario.file, position ?? scenario.store.position,
                "the store cannot be prepared: \(error.message)",
                "change the setup, the store or the model")
        ])
    }

    /// What exploring a cell has given, before it is put into words.
    struct Exploration {
        var summary: Explorer.Summary
        /// The lanes of a schedule that ran twice with two histories.
        var unrepeatable: [UInt8]?
        var tallies: [OutcomeTally] = []
        /// The first schedule of each outcome, in the order of the tallies.
        var paths: [[UInt8]] = []
        /// The first witness of each kind of finding.
        var witnesses: [(detection: Detection, path: [UInt8])] = []
        var judgement = Judgement(verdict: .inconclusive, reasons: [])
    }

    /// Runs the schedules of the cell and judges what was observed.
    ///
    /// - Parameter deadline: no schedule starts after this.
    func explore(
        deadline: ContinuousClock.Instant? = nil, progress: ProgressSink
    ) throws(InputErrors) -> Exploration {
        do throws(CoreDataError) {
            var grading = OutcomeGrading(scenario: plan.scenario, cell: plan.cell)
            if grading.needsSerial {
                grading.serial = try SerialRuns(world: inlineWorld).outcomes()
            }
            if let threads { return try race(threads, grading, deadline, progress) }
            var tally = Tally(grading: grading)
            var exploration =
                isPinned ? try runPinned(&tally) : try exploreAll(&tally, deadline, progress)
            exploration.tallies = tally.tallies
            exploration.paths = tally.paths
            exploration.witnesses = tally.witnesses
            exploration.judgement = judge(exploration, grading)
            if let baton = world.turns as? BatonTurns,
                let argument = baton.lockOrder.argument(isComplete: exploration.summary.isComplete)
            {
                exploration.judgement.reasons.append(argument)
            }
            return exploration
        } catch {
            throw Self.storeProblem(plan.scenario, error)
        }
    }

    /// Pinned schedules are run as written, unless the command asks for another strategy.
    private var isPinned: Bool {
        options.strategy == .pinned || options.strategy == nil && !plan.scenario.schedules.isEmpty
    }

    /// The part of the schedules that this process runs.
    var shardText: String? { options.shard?.description }

    var timelines: SuiteOptions.Timelines { options.timelines }

    /// What is graded, if all there is to run has run; otherwise inconclusive, unless the file
    /// itself asks for no more.
    func judge(_ exploration: Exploration, _ grading: OutcomeGrading) -> Judgement {
        let summary = exploration.summary
        let judgement = grading.judge(
            exploration.tallies, isComplete: summary.isComplete, explored: summary.explored)
        guard let bound = summary.stoppedAt, [.passed, .interesting].contains(judgement.verdict)
        else { return judgement }
        if isEnough(summary) {
            let reason = "this holds within \(bound), and the file asks for no more"
            return Judgement(verdict: judgement.verdict, reasons: judgement.reasons + [reason])
        }
        let reason = "nothing failed in what has run, but it stopped at \(bound)"
        return Judgement(verdict: .inconclusive, reasons: [reason] + judgement.reasons)
    }

    /// Whether what has run is all that the file itself asks for.
    private func isEnough(_ summary: Explorer.Summary) -> Bool {
        let explore = plan.scenario.explore
        if options.limit != nil || options.shard != nil || options.timeBudget != nil {
            return false
        }
        switch (options.strategy, explore.preemptions) {
        case (nil, nil): return explore.statesLimit
        case (nil, .some): break
        case (.bounded(let asked), let enough?) where asked >= enough: break
        default: return false
        }
        // The walk within the bound may itself have been cut short.
        return explore.statesLimit || summary.explored < explore.limit
    }

    private func exploreAll(
        _ tally: inout Tally, _ deadline: ContinuousClock.Instant?, _ progress: ProgressSink
    ) throws(CoreDataError) -> Exploration {
        var explorer = Explorer(
            plan: plan.schedulePlan, limit: options.limit ?? plan.scenario.explore.limit,
            seed: options.seed ?? plan.scenario.explore.seed)
        explorer.strategy =
            options.strategy ?? plan.scenario.explore.preemptions.map(Strategy.bounded)
            ?? .automatic
        explorer.shard = options.shard
        explorer.deadline = deadline
        let label = "\(plan.scenario.fullName) \(plan.cell)"
        var repetition = Repetition()
        options.notes(.predicted(label, plan.schedulePlan.prediction(), explorer.strategy))
        var summary = try explorer.explore(
            world,
            progress: { update in
                progress(
                    ProgressUpdate(
                        label, completed: update.explored,
                        total: update.expected.flatMap { Int(exactly: $0) }))
            },
            visit: { (schedule) throws(CoreDataError) in
                tally.add(world.outcome, world.findings, schedule)
                (world.turns as? BatonTurns)?.keepLockOrder(of: schedule.path)
                try repetition.check(schedule.path, in: world)
                return true
            })
        try addInversions(&tally)
        if options.shard != nil, plan.schedulePlan.isOpen {
            summary.stoppedAt = "shards, which compare lock orders only within themselves"
        }
        options.notes(.finished(label, summary))
        return Exploration(summary: summary, unrepeatable: repetition.difference)
    }

    /// Lock orders that are opposite in two schedules: no schedule alone shows them.
    private func addInversions(_ tally: inout Tally) throws(CoreDataError) {
        guard let baton = world.turns as? BatonTurns else { return }
        for inversion in baton.lockOrder.inversions() where !tally.has(inversion.detection) {
            try world.reset()
            for lane in inversion.path { try world.run(lane: Int(lane)) }
            try world.finish()
            tally.add(
                world.outcome, [inversion.detection],
                VisitedSchedule(path: inversion.path, weight: 0))
        }
    }

    /// The schedules that the file pins, and no others.
    private func runPinned(_ tally: inout Tally) throws(CoreDataError) -> Exploration {
        let replay = Replay(plan: plan.schedulePlan)
        var summary = Explorer.Summary(
            predicted: Prediction(count: UInt64(plan.scenario.schedules.count), isExact: true))
        for schedule in plan.scenario.schedules {
            let result = try replay.run(schedule.value.map(ScheduleToken.canonical), in: world)
            tally.add(world.outcome, world.findings, VisitedSchedule(path: result.path))
            summary.explored += 1
        }
        summary.isComplete = true
        summary.strategy = "as written"
        return Exploration(summary: summary)
    }
}
