import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabCheck
import LabFiles
import LabResults
import LabScenario
import LabSchedule

/// Runs one scenario in one cell of its matrix, which is one combination of values. It explores the
/// schedules, grades their outcomes, and replays the first schedule of each outcome for a
/// transcript. Suites create one runner for each cell.
struct CellRunner {
    let loaded: LoadedScenario
    let plan: CellPlan
    let world: CellWorld
    /// A world without threads, which runs one session after another. Each step runs to its end.
    let inlineWorld: CellWorld
    /// Runs the sessions on real threads; nil if the scenario does not request threads. Commands
    /// that need a fixed order use `world`.
    let threads: ThreadsWorld?
    let options: SuiteOptions
    /// Threads that may help to explore this cell; nil for none.
    var company: Company?

    /// - Parameter isProbed: whether to first open the store, so that an unusable store is reported
    ///   as an error in the file.
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
            let template = try StoreTemplate.make(
                loaded, cell: cell, folder: folder, host: options.store?.host)
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
                    "the scenario has \(plan.schedulePlan.laneCount) sessions and mailboxes",
                    "use at most \(SchedulePlan.laneMax)")
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

    /// The results of exploring a cell, before they are converted into a report.
    struct Exploration {
        var summary: Explorer.Summary
        /// The path of a schedule whose two runs had different histories.
        var unrepeatable: [UInt8]?
        var tallies: [OutcomeTally] = []
        /// The schedule for each outcome, in the order of the tallies.
        var paths: [[UInt8]] = []
        var witnesses: [(detection: Detection, path: [UInt8])] = []
        var judgement = Judgement(verdict: .inconclusive, reasons: [])
        /// The data for joining this shard with others; nil if the exploration is not a shard.
        var record: ShardRecord?
    }

    /// Runs the schedules of the cell and grades the observations.
    ///
    /// - Parameter deadline: the time after which no schedule starts.
    func explore(
        deadline: ContinuousClock.Instant? = nil, progress: @escaping ProgressSink
    ) throws(InputErrors) -> Exploration {
        do throws(CoreDataError) {
            var grading = OutcomeGrading(scenario: plan.scenario, cell: plan.cell)
            if grading.needsSerial {
                grading.serial = try SerialRuns(world: inlineWorld).outcomes()
            }
            if let threads { return try race(threads, grading, deadline, progress) }
            let (summary, tally) =
                isPinned ? try runPinned() : try exploreAll(grading, deadline, progress)
            var exploration = try judged(summary, tally, grading, isAsked: asksForLess(options))
            if options.shard != nil { exploration.record = record(summary, tally) }
            return exploration
        } catch {
            throw Self.storeProblem(plan.scenario, error)
        }
    }

    private func judged(
        _ summary: Explorer.Summary, _ tally: Tally, _ grading: OutcomeGrading, isAsked: Bool
    ) throws(CoreDataError) -> Exploration {
        var tally = tally
        try addInversions(&tally)
        var exploration = Exploration(summary: summary, tally: tally, grading: grading)
        exploration.judgement = judge(exploration, grading, isAsked: isAsked)
        if plan.schedulePlan.isOpen,
            let argument = tally.lockOrder.argument(isComplete: summary.isComplete)
        {
            exploration.judgement.reasons.append(argument)
        }
        return exploration
    }

    /// The joined results of shards, as if one process had run all schedules.
    ///
    /// - Parameters:
    ///   - missing: the missing shards.
    ///   - strategy: the strategy of the shards, in words.
    func explore(
        joining records: [ShardRecord], missing: [String], strategy: String
    ) throws(InputErrors) -> Exploration {
        do throws(CoreDataError) {
            var grading = OutcomeGrading(scenario: plan.scenario, cell: plan.cell)
            if grading.needsSerial {
                grading.serial = try SerialRuns(world: inlineWorld).outcomes()
            }
            let tally = try tally(of: records)
            let summary = Self.summary(of: records, missing, strategy, plan.schedulePlan)
            return try judged(
                summary, tally, grading,
                isAsked: !missing.isEmpty || records.contains(where: \.asksForLess))
        } catch {
            throw InputErrors([
                InputError(
                    plan.scenario.file, .start, "the shards cannot be joined: \(error.message)",
                    "explore the shards again, and join the new results")
            ])
        }
    }

    /// Pinned schedules run as the file states them, unless the command requests another strategy.
    var isPinned: Bool {
        options.strategy == .pinned || options.strategy == nil && !plan.scenario.schedules.isEmpty
    }

    var shardText: String? { options.shard?.description }

    var timelines: SuiteOptions.Timelines { options.timelines }

    /// The verdict on the outcomes that were seen. If nothing failed, but the exploration stopped
    /// at a limit, the verdict is inconclusive. It stays as it is if all schedules that the file
    /// requests have run.
    ///
    /// - Parameter isAsked: whether the command requests only some of the schedules.
    func judge(
        _ exploration: Exploration, _ grading: OutcomeGrading, isAsked: Bool
    ) -> Judgement {
        let summary = exploration.summary
        let judgement = grading.judge(
            exploration.tallies, isComplete: summary.isComplete, explored: summary.explored)
        guard let bound = summary.stoppedAt, [.passed, .interesting].contains(judgement.verdict)
        else { return judgement }
        if !isAsked, isEnough(summary) {
            let reason = "this holds within \(bound), which is the limit of the file"
            return Judgement(verdict: judgement.verdict, reasons: judgement.reasons + [reason])
        }
        let reason = "no schedule that ran failed, but the exploration stopped at \(bound)"
        return Judgement(verdict: .inconclusive, reasons: [reason] + judgement.reasons)
    }

    /// Whether the command's options may cause fewer schedules to run than the file requests.
    func asksForLess(_ options: SuiteOptions) -> Bool {
        if options.limit != nil || options.shard != nil || options.timeBudget != nil { return true }
        switch (options.strategy, plan.scenario.explore.preemptions) {
        case (nil, _): return false
        case (.bounded(let asked), let enough?): return asked < enough
        default: return true
        }
    }

    /// Whether all schedules that the file requests have run.
    private func isEnough(_ summary: Explorer.Summary) -> Bool {
        let explore = plan.scenario.explore
        if explore.preemptions == nil { return explore.statesLimit }
        // At the limit, some schedules within the file's bound on preemptions may not have run.
        return explore.statesLimit || summary.explored < explore.limit
    }

    private func runPinned() throws(CoreDataError) -> (Explorer.Summary, Tally) {
        let replay = Replay(plan: plan.schedulePlan)
        var tally = Tally()
        var summary = Explorer.Summary(
            predicted: Prediction(count: UInt64(plan.scenario.schedules.count), isExact: true))
        for schedule in plan.scenario.schedules {
            let result = try replay.run(schedule.value.map(ScheduleToken.canonical), in: world)
            tally.add(world.outcome, world.findings, VisitedSchedule(path: result.path))
            summary.explored += 1
        }
        summary.isComplete = true
        summary.strategy = "as written"
        return (summary, tally)
    }
}

extension CellRunner.Exploration {
    init(summary: Explorer.Summary, tally: Tally, grading: OutcomeGrading) {
        self.init(summary: summary)
        unrepeatable = tally.unrepeatable?.path
        tallies = tally.seen.map { seen in
            OutcomeTally(
                outcome: seen.outcome, mark: grading.mark(seen.outcome), count: seen.count,
                findings: seen.findings)
        }
        paths = tally.seen.map(\.shown.path)
        witnesses = tally.witnesses.map { ($0.detection, $0.schedule.path) }
    }
}
