/// Schedules drawn with a seed: uniformly, or by priorities that change at a few points.
extension ExplorationRun {
    /// Draws schedules: each lane is chosen with the weight of the steps that it has left, which
    /// makes every interleaving of free lanes equally likely.
    mutating func sample() throws(World.Failure) {
        try draw("sample") { (run, generator) throws(World.Failure) in
            while let lane = run.uniform(&generator) { try run.cursor.run(lane) }
        }
    }

    /// Draws schedules by priorities, which finds a bug of that many ordered events with a
    /// probability that has a known lower bound (Burckhardt et al., 2010).
    ///
    /// - Parameter depth: one more than the number of points at which the lane that runs falls
    ///   behind all others.
    mutating func sample(depth: Int) throws(World.Failure) {
        let steps =
            explorer.plan.lanes.map(\.steps.count) + explorer.plan.mailboxes.map(\.causes.count)
        let total = max(1, steps.reduce(0, +))
        try draw("PCT of depth \(depth)") { (run, generator) throws(World.Failure) in
            var priorities = Array(depth..<(depth + run.explorer.plan.laneCount))
            priorities.shuffle(using: &generator)
            var falls = (1..<max(1, depth)).map { ($0, generator.below(total)) }
            falls.sort { $0.1 < $1.1 }
            var step = 0
            while let lane = Self.highest(run.cursor.runnableLanes, priorities) {
                try run.cursor.run(lane)
                for fall in falls where fall.1 == step { priorities[lane] = fall.0 - depth }
                step += 1
            }
        }
    }

    private mutating func draw(
        _ name: String,
        _ walk: (inout Self, inout SeededGenerator) throws(World.Failure) -> Void
    ) throws(World.Failure) {
        let before = summary.explored > 0 ? "\(summary.strategy), then " : ""
        summary.strategy = "\(before)\(name) with seed \(explorer.seed)"
        summary.seed = explorer.seed
        summary.represented = nil
        for ordinal in 0..<allowance {
            if let shard = explorer.shard, !shard.owns(ordinal) { continue }
            // Each draw has a generator of its own, so that shards draw what one process would.
            var seeds = SeededGenerator(seed: explorer.seed &+ UInt64(ordinal) &* 0x9E37)
            var generator = SeededGenerator(seed: seeds.next())
            try begin()
            try walk(&self, &generator)
            try complete()
            if isStopped { return }
        }
        // A sample is no proof, whole or in shards.
        stopAtLimit()
    }

    private func uniform(_ generator: inout SeededGenerator) -> Int? {
        let runnable = cursor.runnableLanes
        guard runnable != 0 else { return nil }
        var total = 0
        for lane in 0..<explorer.plan.laneCount where runnable & (1 << UInt64(lane)) != 0 {
            total += cursor.remaining(lane)
        }
        var ticket = generator.below(total)
        for lane in 0..<explorer.plan.laneCount where runnable & (1 << UInt64(lane)) != 0 {
            ticket -= cursor.remaining(lane)
            if ticket < 0 { return lane }
        }
        return nil
    }

    private static func highest(_ runnable: UInt64, _ priorities: [Int]) -> Int? {
        priorities.indices.filter { runnable & (1 << UInt64($0)) != 0 }
            .max { priorities[$0] < priorities[$1] }
    }
}
