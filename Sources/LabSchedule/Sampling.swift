extension Explorer {
    /// The generator of one draw of a sample.
    func generator(ofDraw number: Int) -> SeededGenerator {
        var seeds = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37)
        return SeededGenerator(seed: seeds.next())
    }
}

/// Schedules drawn with a seed: uniformly, or by priorities that change at a few points.
extension ScheduleCursor {
    /// Runs a schedule from its start to its end.
    ///
    /// - Parameter depth: draws by priorities; nil draws uniformly.
    mutating func draw(
        depth: Int?, _ generator: inout SeededGenerator
    ) throws(World.Failure) {
        if let depth { return try drawByPriorities(depth, &generator) }
        while let lane = uniform(&generator) { try run(lane) }
    }

    /// Chooses each lane with the weight of the steps that it has left, which makes every
    /// interleaving of free lanes equally likely.
    private func uniform(_ generator: inout SeededGenerator) -> Int? {
        let runnable = runnableLanes
        guard runnable != 0 else { return nil }
        var total = 0
        for lane in 0..<plan.laneCount where runnable & (1 << UInt64(lane)) != 0 {
            total += remaining(lane)
        }
        var ticket = generator.below(total)
        for lane in 0..<plan.laneCount where runnable & (1 << UInt64(lane)) != 0 {
            ticket -= remaining(lane)
            if ticket < 0 { return lane }
        }
        return nil
    }

    /// Draws by priorities, which finds a bug of that many ordered events with a probability that
    /// has a known lower bound (Burckhardt et al., 2010).
    ///
    /// - Parameter depth: one more than the number of points at which the lane that runs falls
    ///   behind all others.
    private mutating func drawByPriorities(
        _ depth: Int, _ generator: inout SeededGenerator
    ) throws(World.Failure) {
        let steps = plan.lanes.map(\.steps.count) + plan.mailboxes.map(\.causes.count)
        let total = max(1, steps.reduce(0, +))
        var priorities = Array(depth..<(depth + plan.laneCount))
        priorities.shuffle(using: &generator)
        var falls = (1..<max(1, depth)).map { ($0, generator.below(total)) }
        falls.sort { $0.1 < $1.1 }
        var step = 0
        while let lane = Self.highest(runnableLanes, priorities) {
            try run(lane)
            for fall in falls where fall.1 == step { priorities[lane] = fall.0 - depth }
            step += 1
        }
    }

    private static func highest(_ runnable: UInt64, _ priorities: [Int]) -> Int? {
        priorities.indices.filter { runnable & (1 << UInt64($0)) != 0 }
            .max { priorities[$0] < priorities[$1] }
    }
}
