/// Runs schedules: all of them, one of each class, or a seeded sample. The caller supplies a world
/// and a visitor, which is called for each schedule. Several worlds can run the schedules together
/// with ``SharedWalk``.
package struct Explorer: Sendable {
    /// The result of an exploration.
    package struct Summary: Sendable, Equatable {
        package var predicted: Prediction
        package var explored = 0
        /// Whether every schedule was run or is equivalent to one that was run.
        package var isComplete = false
        /// The seed with which schedules were drawn; nil if they were enumerated.
        package var seed: UInt64?
        package var strategy = "exhaustive"
        /// The limit that ended the exploration; nil if the exploration was complete.
        package var stoppedAt: String?
        package var end = WalkEnd.whole
        /// The number of schedules that are equivalent to a completed run; nil if unknown.
        package var represented: UInt64?
        /// The number of runs that the reduced walk abandoned, because other schedules represent
        /// them.
        package var abandoned = 0
        /// The number of all runs. They include the runs of earlier walks whose results a later
        /// complete walk has replaced.
        package var runs = 0
        /// The estimated number of schedules, computed from randomly drawn ones; nil if none was
        /// drawn.
        package var estimate: Double?
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

    /// The state of an exploration, reported at intervals.
    package struct Progress: Sendable, Equatable {
        package let explored: Int
        /// The predicted number of schedules, or the limit if it is lower.
        package let expected: UInt64?
    }

    /// The automatic strategy enumerates all schedules if there are at most this many, which takes
    /// less than a second.
    package static let automaticMax = 5_000
    /// The number of schedules that are drawn before the reduced walk of a larger space. They
    /// quickly show common outcomes.
    package static let scoutMax = 300

    /// The number of schedules that are drawn before the reduced walk if the size of the space is
    /// unknown.
    package static let openScoutMax = 32

    package let plan: SchedulePlan
    /// The maximum number of schedules to run.
    package var limit: Int
    package var seed: UInt64
    package var strategy = Strategy.automatic
    package var shard: Shard?
    /// Whether the automatic strategy begins with a quick sample even if the size of the space is
    /// unknown.
    package var scoutsFirst = false
    /// The minimum number of schedules that check whether a reduced walk has found every result.
    package var checkMin = 200
    /// The time after which no schedule starts.
    package var deadline: ContinuousClock.Instant?
    /// The number of schedules between two calls of the progress sink.
    package var progressInterval = 256

    package init(plan: SchedulePlan, limit: Int, seed: UInt64 = 1) {
        self.plan = plan
        self.limit = limit
        self.seed = seed
    }

    /// Explores schedules in one world by the strategy. The strategy `pinned` acts like the
    /// automatic strategy, because the runner itself runs the pinned schedules of a file.
    ///
    /// - Parameters:
    ///   - visit: called after each complete schedule; return false to stop.
    ///   - progress: called every ``progressInterval`` schedules.
    package func explore<World: ScheduleWorld>(
        _ world: World, progress: (Progress) -> Void = { _ in },
        visit: (VisitedSchedule) throws(World.Failure) -> Bool
    ) throws(World.Failure) -> Summary {
        var sequence = WalkSequence(self)
        while let phase = sequence.next() {
            let walk = SharedWalk<NoRecord, World.Failure>(
                self, phase, empty: NoRecord(), after: sequence.summary)
            repeat {
                walk.work(
                    in: world, begin: { _ in NoRecord() }, progress: progress,
                    visit: { (schedule, _) throws(World.Failure) in try visit(schedule) })
            } while walk.goOn()
            _ = sequence.take(try walk.finish().ending)
        }
        return sequence.summary
    }
}

/// An empty record for an exploration in one world. The visitor of such an exploration keeps the
/// results itself.
private struct NoRecord: WalkRecord {
    mutating func join(_: NoRecord, first _: Int) {}
}
