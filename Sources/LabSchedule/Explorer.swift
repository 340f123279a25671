/// Runs schedules: all of them, a seeded sample, or given ones. The runner hands it a world and
/// is told after each schedule.
package struct Explorer: Sendable {
    /// How an exploration ended.
    package struct Summary: Sendable, Equatable {
        package var predicted: Prediction
        package var explored = 0
        /// Every schedule was run.
        package var isComplete = false
        /// Schedules were drawn at random with this seed; nil if they were enumerated.
        package var seed: UInt64?

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

    package let plan: SchedulePlan
    /// Schedules above this number are sampled instead.
    package var limit: Int
    package var seed: UInt64
    /// Called every this many schedules.
    package var progressInterval = 256

    package init(plan: SchedulePlan, limit: Int, seed: UInt64 = 1) {
        self.plan = plan
        self.limit = limit
        self.seed = seed
    }

    /// Explores: every schedule if the prediction is within the limit, else a sample of `limit`.
    ///
    /// - Parameters:
    ///   - visit: called after each complete schedule; false stops.
    ///   - progress: called every ``progressInterval`` schedules.
    package func explore<World: ScheduleWorld>(
        _ world: World, progress: (Progress) -> Void = { _ in },
        visit: ([UInt8]) throws(World.Failure) -> Bool
    ) throws(World.Failure) -> Summary {
        let predicted = plan.prediction()
        guard let count = predicted.count, count <= UInt64(limit) else {
            return try sample(world, predicted: predicted, progress: progress, visit: visit)
        }
        return try enumerate(world, predicted: predicted, progress: progress, visit: visit)
    }

    /// Depth first: each schedule goes back to the last choice with an untried lane.
    ///
    /// A world cannot step back, so a schedule is a reset and the whole path again. Where
    /// deliveries depend on outcomes the number of schedules can exceed the prediction; it is cut
    /// at twice the limit, and the summary says that it is not complete.
    private func enumerate<World: ScheduleWorld>(
        _ world: World, predicted: Prediction, progress: (Progress) -> Void,
        visit: ([UInt8]) throws(World.Failure) -> Bool
    ) throws(World.Failure) -> Summary {
        var summary = Summary(predicted: predicted)
        var cursor = ScheduleCursor(plan: plan, world: world)
        var choices: [Choice] = []
        while true {
            try cursor.reset()
            for choice in choices { try cursor.run(choice.lane) }
            while let choice = Choice(cursor.runnableLanes) {
                choices.append(choice)
                try cursor.run(choice.lane)
            }
            try world.finish()
            summary.explored += 1
            if !(try visit(cursor.path)) { return summary }
            report(summary.explored, predicted.count, progress)
            guard Choice.advance(&choices) else {
                summary.isComplete = true
                return summary
            }
            if summary.explored >= 2 * limit { return summary }
        }
    }

    /// Draws schedules: each lane is chosen with the weight of the steps that it has left, which
    /// makes every interleaving of free lanes equally likely.
    private func sample<World: ScheduleWorld>(
        _ world: World, predicted: Prediction, progress: (Progress) -> Void,
        visit: ([UInt8]) throws(World.Failure) -> Bool
    ) throws(World.Failure) -> Summary {
        var summary = Summary(predicted: predicted, seed: seed)
        var generator = SeededGenerator(seed: seed)
        var cursor = ScheduleCursor(plan: plan, world: world)
        while summary.explored < limit {
            try cursor.reset()
            while let lane = draw(&generator, cursor) { try cursor.run(lane) }
            try world.finish()
            summary.explored += 1
            if !(try visit(cursor.path)) { return summary }
            report(summary.explored, UInt64(limit), progress)
        }
        return summary
    }

    private func draw<World>(
        _ generator: inout SeededGenerator, _ cursor: ScheduleCursor<World>
    ) -> Int? {
        let runnable = cursor.runnableLanes
        guard runnable != 0 else { return nil }
        var total = 0
        for lane in 0..<plan.laneCount where runnable & (1 << UInt64(lane)) != 0 {
            total += cursor.remaining(lane)
        }
        var ticket = generator.below(total)
        for lane in 0..<plan.laneCount where runnable & (1 << UInt64(lane)) != 0 {
            ticket -= cursor.remaining(lane)
            if ticket < 0 { return lane }
        }
        return nil
    }

    private func report(_ explored: Int, _ expected: UInt64?, _ progress: (Progress) -> Void) {
        if explored % progressInterval == 0 {
            progress(Progress(explored: explored, expected: expected))
        }
    }
}

/// One choice of the depth-first walk: the lane that runs now, and those still to try.
private struct Choice {
    var lane: Int
    var untried: UInt64

    /// The lowest of the runnable lanes; nil if there is none.
    init?(_ runnable: UInt64) {
        guard runnable != 0 else { return nil }
        lane = runnable.trailingZeroBitCount
        untried = runnable & (runnable - 1)
    }

    /// Goes to the next path: false when all have been tried.
    static func advance(_ choices: inout [Choice]) -> Bool {
        while let last = choices.popLast() {
            if let next = Choice(last.untried) {
                choices.append(next)
                return true
            }
        }
        return false
    }
}
