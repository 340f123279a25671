import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import LabCheck
import LabFiles
import LabScenario
import LabSchedule

/// Runs one scenario on one store, schedule by schedule, to compare random scenarios. The trial
/// does not grade the results. The caller inspects the end of each schedule, uses the trial on only
/// one thread, and closes it.
package final class ScenarioTrial {
    private let runner: CellRunner
    private let conflicts: ConflictCounter?

    /// The number of schedules; nil if it cannot be predicted.
    package let predicted: UInt64?

    /// - Parameters:
    ///   - model: the scenario's model; created once for many scenarios.
    ///   - folder: the folder of the trial; the caller may remove it afterwards.
    ///   - countsConflicts: whether ends contain the number of calls of a policy. Counting adds a
    ///     listener, which activates other code in the engine. So trials with and without the count
    ///     together cover more code.
    package init(
        _ scenario: Scenario, model: TrialModel, folder: String, countsConflicts: Bool = false,
        patience: Duration = .seconds(10)
    ) throws(InputErrors) {
        var options = SuiteOptions()
        options.patience = patience
        let loaded = LoadedScenario(scenario: scenario, model: model.model, copiedStore: nil)
        runner = try CellRunner(
            loaded, cell: MatrixCell(values: []), options: options, folder: folder,
            isProbed: false)
        predicted = runner.plan.schedulePlan.prediction().count
        conflicts = countsConflicts ? ConflictCounter() : nil
        if let conflicts {
            runner.world.lab.store.listen(conflicts)
        }
    }

    package func close() { runner.world.lab.store.close() }

    /// Runs the schedules that an explorer chooses.
    ///
    /// - Parameter visit: receives each end and the number of schedules that it represents; returns
    ///   false to stop.
    /// - Returns: whether every schedule was run, or is equivalent to one that was run.
    @discardableResult
    package func explore(
        _ strategy: Strategy, limit: Int, seed: UInt64 = 1, shard: Shard? = nil,
        visit: (ScheduleEnd, _ weight: UInt64) -> Bool
    ) throws(CoreDataError) -> Bool {
        var explorer = Explorer(plan: runner.plan.schedulePlan, limit: limit, seed: seed)
        explorer.strategy = strategy
        explorer.shard = shard
        conflicts?.reset()
        let summary = try explorer.explore(runner.world) { (schedule) throws(CoreDataError) in
            let isWanted = visit(try end(schedule.path), schedule.weight)
            conflicts?.reset()
            return isWanted
        }
        return summary.isComplete
    }

    /// Runs the schedule that consists of these lanes.
    ///
    /// - Returns: nil if a lane had nothing to run, which means that the scenario has no such
    ///   schedule.
    package func run(_ path: [UInt8]) throws(CoreDataError) -> ScheduleEnd? {
        conflicts?.reset()
        var cursor = ScheduleCursor(plan: runner.plan.schedulePlan, world: runner.world)
        try cursor.reset()
        for lane in path {
            guard cursor.isRunnable(Int(lane)) else { return nil }
            try cursor.run(Int(lane))
        }
        guard cursor.runnableLanes == 0 else { return nil }
        try runner.world.finish()
        return try end(path)
    }

    /// Runs the sessions one after another. Deliveries in mailboxes run immediately.
    package func runSerially(_ order: [Int]) throws(CoreDataError) -> ScheduleEnd {
        conflicts?.reset()
        var cursor = ScheduleCursor(plan: runner.plan.schedulePlan, world: runner.world)
        try cursor.reset()
        let mailboxes = order.count..<runner.plan.schedulePlan.laneCount
        func deliver() throws(CoreDataError) {
            while let lane = mailboxes.first(where: { cursor.isRunnable($0) }) {
                try cursor.run(lane)
            }
        }
        for session in order {
            while cursor.isRunnable(session) {
                try cursor.run(session)
                try deliver()
            }
        }
        try runner.world.finish()
        return try end(cursor.path)
    }

    /// Runs the sessions on real threads.
    ///
    /// - Returns: the end, or the names of the threads that did not end.
    package func race(seed: UInt64) throws(CoreDataError) -> (end: ScheduleEnd?, hanging: [String])
    {
        guard let threads = runner.threads else { return (nil, []) }
        let hanging = try threads.run(seed: seed, patience: runner.options.patience)
        if !hanging.isEmpty { return (nil, hanging) }
        var end = ScheduleEnd(path: [])
        end.statuses = threads.lab.notes.statuses.mapValues(\.description)
        end.graph = try StoredGraph.read(threads.lab)
        return (end, [])
    }

    package func start() throws(CoreDataError) -> StoredGraph {
        try runner.world.reset()
        return try StoredGraph.read(runner.world.lab)
    }

    package func names(of path: [UInt8]) -> [String] {
        (try? TranscriptText.run(path, in: runner.world).names) ?? []
    }

    /// A hash of all events of the last schedule.
    package var digest: UInt64 { HistoryDigest.of(runner.world.lab.recorder.history) }

    private func end(_ path: [UInt8]) throws(CoreDataError) -> ScheduleEnd {
        let world = runner.world
        var end = ScheduleEnd(path: path)
        end.outcome = world.outcome.values.map(\.description)
        end.statuses = world.lab.notes.statuses.mapValues(\.description)
        end.values = world.lab.notes.values.mapValues(\.description)
        end.findings = Set(world.findings.map { "\($0.name) in \($0.step)" })
        end.conflicts = conflicts?.count ?? 0
        // After a deadlock the store cannot be read, because the blocked threads hold it. A store
        // that a step has removed cannot be read either.
        if !world.lab.store.main.persistentStores.isEmpty,
            !end.findings.contains(where: { $0.hasPrefix("deadlock") })
        {
            end.graph = try StoredGraph.read(world.lab)
        }
        return end
    }
}

/// A model that many trials share. Creating one takes longer than a schedule.
package struct TrialModel {
    let model: NSManagedObjectModel

    /// - Throws: the first error in the model.
    package init(_ shape: ModelShape) throws(CoreDataError) {
        model = shape.makeModel()
        _ = try ModelBinding.of(model)
    }
}

/// The result of one schedule of a trial. Equal schedules of equal scenarios have equal results.
package struct ScheduleEnd: Sendable, Hashable {
    package let path: [UInt8]
    package var outcome: [String] = []
    package var statuses: [String: String] = [:]
    package var values: [String: String] = [:]
    package var findings: Set<String> = []
    /// The contents of the store, read through a separate context; nil after a deadlock.
    package var graph: StoredGraph?
    /// The number of calls of a merge policy for row version conflicts, if these calls are counted.
    package var conflicts = 0

    package init(path: [UInt8]) { self.path = path }
}

/// Counts the calls of merge policies for row version conflicts. Calls for constraint conflicts do
/// not count.
///
/// `@unchecked Sendable` because the schedules of a trial run one after another, and only one of
/// their threads runs at a time.
private final class ConflictCounter: EventSink, @unchecked Sendable {
    private(set) var count = 0

    let wantsBindings = false
    let wantsRows = false
    let wantsPlans = false

    func record(_ event: Event) {
        if case .conflict(_, let kind, _, _) = event, kind != "constraint" { count += 1 }
    }

    func reset() { count = 0 }
}
