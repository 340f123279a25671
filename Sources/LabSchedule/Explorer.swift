/// Runs schedules: all of them, one of each class, a seeded sample. The runner hands it a world
/// and is told after each schedule.
package struct Explorer: Sendable {
    /// How an exploration ended.
    package struct Summary: Sendable, Equatable {
        package var predicted: Prediction
        package var explored = 0
        /// Every schedule was run, or is in the class of one that was.
        package var isComplete = false
        /// Schedules were drawn at random with this seed; nil if they were enumerated.
        package var seed: UInt64?
        /// How schedules were chosen, in words.
        package var strategy = "exhaustive"
        /// Which bound ended it; nil if it came to its end.
        package var stoppedAt: String?
        /// How many schedules those that ran stand for; nil where that is not known.
        package var represented: UInt64?
        /// Runs of the reduced walk that were given up because another one stands for them.
        package var abandoned = 0
        package var times = TimeShares()

        package init(
            predicted: Prediction, explored: Int = 0, isComplete: Bool = false, seed: UInt64? = nil
        ) {
            self.predicted = predicted
            self.explored = explored
            self.isComplete = isComplete
            self.seed = seed
        }
    }

    /// What was reached, told now and then.
    package struct Progress: Sendable, Equatable {
        package let explored: Int
        /// The number that is aimed at: the prediction, or the limit below it.
        package let expected: UInt64?
    }

    /// The automatic strategy enumerates up to this number: it takes less than a second.
    package static let automaticMax = 5_000

    package let plan: SchedulePlan
    /// Schedules above this number are not all run.
    package var limit: Int
    package var seed: UInt64
    package var strategy = Strategy.automatic
    package var shard: Shard?
    /// No schedule starts after this.
    package var deadline: ContinuousClock.Instant?
    /// Called every this many schedules.
    package var progressInterval = 256

    package init(plan: SchedulePlan, limit: Int, seed: UInt64 = 1) {
        self.plan = plan
        self.limit = limit
        self.seed = seed
    }

    /// Explores as the strategy says. A file's pinned schedules are the runner's business; here
    /// that strategy means the automatic one.
    ///
    /// - Parameters:
    ///   - visit: called after each complete schedule; false stops.
    ///   - progress: called every ``progressInterval`` schedules.
    package func explore<World: ScheduleWorld>(
        _ world: World, progress: (Progress) -> Void = { _ in },
        visit: (VisitedSchedule) throws(World.Failure) -> Bool
    ) throws(World.Failure) -> Summary {
        let predicted = plan.prediction()
        return try withoutActuallyEscaping(progress) { progress throws(World.Failure) in
            try withoutActuallyEscaping(visit) { visit throws(World.Failure) in
                var run = ExplorationRun(
                    explorer: self, world: world, predicted: predicted, progress: progress,
                    visit: visit)
                try start(&run)
                return run.summary
            }
        }
    }

    private func start<World>(_ run: inout ExplorationRun<World>) throws(World.Failure) {
        switch strategy {
        case .exhaustive: try run.enumerate()
        case .reduced: try run.reduce()
        case .bounded(let bound): try run.enumerate(preemptions: bound)
        case .pct(let depth): try run.sample(depth: depth)
        case .random: try run.sample()
        case .portfolio: try portfolio(&run)
        case .automatic, .pinned: try automatic(&run)
        }
    }

    private func automatic<World>(_ run: inout ExplorationRun<World>) throws(World.Failure) {
        if plan.isOpen { return try open(&run) }
        let most = UInt64(min(limit, Self.automaticMax))
        if let count = run.summary.predicted.count, count <= most { return try run.enumerate() }
        try run.reduce()
        if run.isCut { try run.sample() }
    }

    /// One schedule of each class, or those with two preemptions, which show nearly every
    /// deadlock. How many there are is known only afterwards.
    private func open<World>(_ run: inout ExplorationRun<World>) throws(World.Failure) {
        run.allowance = min(limit, Self.automaticMax)
        try run.reduce()
        if run.isCut { try run.enumerate(preemptions: 2) }
    }

    private func portfolio<World>(_ run: inout ExplorationRun<World>) throws(World.Failure) {
        run.share(of: 3)
        try run.reduce()
        guard run.isCut else { return }
        try run.sample(depth: 3)
        if run.isStopped { return }
        try run.sample()
    }
}

/// One exploration while it runs: the world, the counts, and what ends it. The walks extend it.
struct ExplorationRun<World: ScheduleWorld> {
    let explorer: Explorer
    let progress: (Explorer.Progress) -> Void
    let visit: (VisitedSchedule) throws(World.Failure) -> Bool
    var cursor: ScheduleCursor<World>
    var summary: Explorer.Summary
    /// The visitor said stop, or time is up.
    private(set) var isStopped = false
    private var reachedLimit = false
    /// Schedules that the walk which runs now may still start.
    var allowance: Int
    private var began = ContinuousClock.now
    /// The number of the part of the walk that runs.
    private(set) var part = -1

    init(
        explorer: Explorer, world: World, predicted: Prediction,
        progress: @escaping (Explorer.Progress) -> Void,
        visit: @escaping (VisitedSchedule) throws(World.Failure) -> Bool
    ) {
        self.explorer = explorer
        self.progress = progress
        self.visit = visit
        cursor = ScheduleCursor(plan: explorer.plan, world: world)
        summary = Explorer.Summary(predicted: predicted)
        allowance = explorer.limit
    }

    var world: World { cursor.world }

    /// Shards divide what follows so many choices. The number of beginnings is the number of lanes
    /// to this power at most.
    static var shardDepth: Int { 4 }

    /// Takes the next part of a walk that is divided among shards.
    ///
    /// - Returns: whether it belongs to this one.
    mutating func claim() -> Bool {
        part += 1
        return explorer.shard?.owns(part) ?? true
    }

    /// Each walk of several gets its part of the limit.
    mutating func share(of parts: Int) {
        allowance = max(1, explorer.limit / parts)
    }

    /// Begins a schedule.
    mutating func begin() throws(World.Failure) {
        began = .now
        try cursor.reset()
        lap(\.reset)
    }

    /// Books the time since the last call.
    mutating func lap(_ part: WritableKeyPath<TimeShares, Duration>) {
        let now = ContinuousClock.now
        summary.times[keyPath: part] += now - began
        began = now
    }

    /// Ends a schedule that is complete: observes and judges it.
    mutating func complete(weight: UInt64 = 1) throws(World.Failure) {
        lap(\.steps)
        try world.finish()
        lap(\.observing)
        summary.explored += 1
        if let represented = summary.represented {
            let (sum, overflow) = represented.addingReportingOverflow(weight)
            summary.represented = overflow || weight == 0 ? nil : sum
        }
        if !(try visit(VisitedSchedule(path: cursor.path, weight: max(1, weight)))) {
            isStopped = true
        }
        lap(\.judging)
        if summary.explored % explorer.progressInterval == 0 {
            progress(.init(explored: summary.explored, expected: expected))
        }
        if let deadline = explorer.deadline, ContinuousClock.now >= deadline, !isStopped {
            isStopped = true
            summary.stoppedAt = "the time budget, after \(summary.explored) schedules"
        }
    }

    /// Whether the walk that has just ended was ended by its part of the limit.
    var isCut: Bool { !isStopped && !summary.isComplete && reachedLimit }

    /// The walk has used up its part of the limit.
    mutating func stopAtLimit() {
        reachedLimit = true
        summary.stoppedAt = "the limit of \(summary.explored) schedules"
    }

    private var expected: UInt64? {
        guard let count = summary.predicted.count else { return UInt64(explorer.limit) }
        let part = explorer.shard.map { UInt64($0.count) } ?? 1
        return min(count / part, UInt64(explorer.limit))
    }
}
