import CoreDataStore
import LabSchedule

/// Runs the sessions of a failed exploration again, with one change at a time.
///
/// Each change is tried in a new world with its own stores. The number of schedules is fixed, so
/// that the result does not depend on the machine's load. The cheapest changes come first. No trial
/// begins after a quarter of the exploration's time budget.
struct CodeCures {
    private static let drawnMax = 100
    private static let schedulesMax = 500
    /// Limits the steps of a schedule with a change: to a multiple of the longest schedule of the
    /// unchanged code, but at least to `least`. A change can make code run for ever. For example, a
    /// block that refreshes objects may cause a notification that enqueues the block again.
    private static let stepsMax = (least: 1_000, multiple: 20)
    /// The error codes of saves that are refused because other contexts have saved.
    private static let refusals = ["133020", "133021"]

    let name: String
    let options: Lab.Options
    let body: (CodeLab) throws -> Void
    /// Whether the failure concerns waits or queues, and therefore does not depend on saves.
    let isAboutThreads: Bool

    func tried() -> [CodeCure] {
        let end = ContinuousClock.now + options.timeBudget / 4
        var longest = 0
        return CodeChange.all.map { named in
            if named.isAboutSaves, isAboutThreads {
                return untried(named, "saves have no effect on waits")
            }
            let now = ContinuousClock.now
            if now >= end { return untried(named, "the time for trying cures is used up") }
            return outcome(of: named, until: end, &longest)
        }
    }

    private func untried(_ named: CodeChange.Named, _ why: String) -> CodeCure {
        CodeCure(name: named.name, notTried: why)
    }

    private func outcome(
        of named: CodeChange.Named, until deadline: ContinuousClock.Instant, _ longest: inout Int
    ) -> CodeCure {
        var options = options
        options.change = named.change
        let most = max(Self.stepsMax.least, longest * Self.stepsMax.multiple)
        if longest > 0 { options.turnsMax = most }
        do {
            let exploration = try CodeExploration(name, options, body)
            let stage = exploration.world.stage
            defer { stage.close() }
            do {
                return try stage.scope.run {
                    try named.change.isSerial
                        ? serial(named, exploration, deadline)
                        : walk(named, exploration, deadline, &longest)
                }
            } catch {
                exploration.world.keep(after: error)
                throw error
            }
        } catch CodeError.endless where longest > 0 {
            return untried(
                named,
                "a schedule with this change does not end within \(most) steps; the unchanged code"
                    + " takes at most \(longest)")
        } catch {
            return untried(named, "\(error)")
        }
    }

    /// Runs randomly drawn schedules first. If some fail, their share is the estimate for all
    /// schedules. If none fails, the schedules are explored systematically.
    private func walk(
        _ named: CodeChange.Named, _ exploration: CodeExploration,
        _ deadline: ContinuousClock.Instant, _ longest: inout Int
    ) throws -> CodeCure {
        try exploration.warmUp()
        let drawn = try count(
            named, exploration, .random, Self.drawnMax, deadline, &longest)
        if drawn.failing > 0 { return drawn }
        let wanted: Lab.Strategy = options.strategy == .automatic ? .reduced : options.strategy
        let walked = try count(
            named, exploration, wanted, Self.schedulesMax, deadline, &longest)
        let isTelling =
            walked.isComplete || walked.failing > 0 || walked.schedules > drawn.schedules
        return isTelling ? walked : drawn
    }

    private func count(
        _ named: CodeChange.Named, _ exploration: CodeExploration, _ strategy: Lab.Strategy,
        _ limit: Int, _ deadline: ContinuousClock.Instant, _ longest: inout Int
    ) throws -> CodeCure {
        let world = exploration.world
        var steps = 0
        defer { if named.change == CodeChange() { longest = max(longest, steps) } }
        var cure = CodeCure(name: named.name)
        var explorer = Explorer(
            plan: world.table.plan, limit: limit, seed: options.seed)
        explorer.strategy = strategy.schedules
        explorer.deadline = deadline
        let summary = try explorer.explore(world) { schedule throws(CodeError) in
            Self.add(world.end, to: &cure)
            steps = max(steps, world.stage.turns)
            return world.stage.baton.abandoned < CodeExploration.abandonedMax
        }
        cure.isComplete = summary.isComplete
        return cure
    }

    private static func add(_ end: CodeWorld.End, to cure: inout CodeCure) {
        cure.schedules += 1
        guard end.isFailure else { return }
        cure.failing += 1
        let isRefused = end.failures.contains { failure in
            failure.contains(" threw ") && refusals.contains { failure.contains($0) }
        }
        if isRefused { cure.refused += 1 }
    }

    private func serial(
        _ named: CodeChange.Named, _ exploration: CodeExploration,
        _ deadline: ContinuousClock.Instant
    ) throws -> CodeCure {
        try exploration.warmUp()
        var cure = CodeCure(name: named.name, isComplete: true)
        for order in CodeExploration.orders(
            of: exploration.world.table.sessions.count, most: Self.schedulesMax + 1)
        {
            if ContinuousClock.now >= deadline || cure.schedules == Self.schedulesMax {
                cure.isComplete = false
                break
            }
            try exploration.runSerially(order)
            Self.add(exploration.world.end, to: &cure)
        }
        return cure
    }
}
