/// The depth-first walk over all schedules, or over those with few preemptions.
extension ExplorationRun {
    /// Depth first: each schedule goes back to the last choice with an untried lane.
    ///
    /// A world cannot step back, so a schedule is a reset and the whole path again. Where
    /// deliveries depend on outcomes the number of schedules can exceed the prediction.
    ///
    /// - Parameter bound: the most switches away from a lane that could go on; nil for any.
    mutating func enumerate(preemptions bound: Int? = nil) throws(World.Failure) {
        let before = summary.explored > 0 ? "\(summary.strategy), then " : ""
        summary.strategy = before + (bound.map { "bounded to \($0) preemptions" } ?? "exhaustive")
        summary.represented = summary.explored > 0 ? nil : 0
        var walk = Walk(bound: bound)
        // What the automatic strategy enumerates fits into the limit; deliveries may add some.
        let isWhole = explorer.strategy == .automatic && !explorer.plan.isOpen
        var left = isWhole ? 2 * allowance : allowance
        while !isStopped {
            if left == 0 { return stopAtLimit() }
            try begin()
            for choice in walk.choices { try cursor.run(choice.lane) }
            var isOwn = walk.choices.count != Self.shardDepth || claim()
            while isOwn, let lane = walk.next(cursor.runnableLanes) {
                try cursor.run(lane)
                if walk.choices.count == Self.shardDepth { isOwn = claim() }
            }
            // A schedule that is shorter than the depth at which shards divide counts itself.
            if isOwn, walk.choices.count >= Self.shardDepth || claim() {
                left -= 1
                try complete()
            }
            if isStopped { return }
            guard walk.advance() else {
                summary.isComplete = bound == nil && explorer.shard == nil
                if let shard = explorer.shard { summary.stoppedAt = "shard \(shard)" }
                if let bound { summary.stoppedAt = "the bound of \(bound) preemptions" }
                return
            }
        }
    }
}

/// The choices of the current path, each with the lanes that are still to try there.
private struct Walk {
    struct Choice {
        var lane: Int
        var untried: UInt64
        /// Preemptions up to and with this choice.
        var preemptions: Int
        /// The lane before, if it could have gone on.
        var resumable: Int?
    }

    let bound: Int?
    private(set) var choices: [Choice] = []

    init(bound: Int?) {
        self.bound = bound
    }

    /// Chooses at a new state: the lane that ran before if it can go on under a bound, else the
    /// lowest. Nil if no lane is runnable.
    mutating func next(_ runnable: UInt64) -> Int? {
        guard runnable != 0 else { return nil }
        let last = choices.last
        let spent = last?.preemptions ?? 0
        let resumable = last.map(\.lane).flatMap { runnable & (1 << UInt64($0)) != 0 ? $0 : nil }
        var lanes = runnable
        if let bound, let resumable, spent >= bound { lanes = 1 << UInt64(resumable) }
        let lane = lanes.trailingZeroBitCount
        choices.append(
            Choice(
                lane: lane, untried: lanes & (lanes - 1), preemptions: spent, resumable: resumable))
        count(before: spent)
        return lane
    }

    /// Goes to the next path: false when all have been tried.
    mutating func advance() -> Bool {
        while let last = choices.popLast() {
            guard last.untried != 0 else { continue }
            let lane = last.untried.trailingZeroBitCount
            let spent = choices.last?.preemptions ?? 0
            choices.append(
                Choice(
                    lane: lane, untried: last.untried & (last.untried - 1), preemptions: spent,
                    resumable: last.resumable))
            count(before: spent)
            return true
        }
        return false
    }

    private mutating func count(before spent: Int) {
        let last = choices.count - 1
        let isPreemption = choices[last].resumable.map { $0 != choices[last].lane } ?? false
        choices[last].preemptions = spent + (isPreemption ? 1 : 0)
    }
}
