/// Runs schedules: all of them, one of each class, a seeded sample. The runner hands it a world
/// and is told after each schedule; several worlds share a walk with ``SharedWalk``.
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
        /// What ended its last walk.
        package var end = WalkEnd.whole
        /// How many schedules those that ran stand for; nil where that is not known.
        package var represented: UInt64?
        /// Runs of the reduced walk that were given up because another one stands for them.
        package var abandoned = 0
        /// All runs, also those of walks that count for nothing behind one that says all.
        package var runs = 0
        /// How many schedules there seem to be, by those that were drawn; nil where none was.
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

    /// What was reached, told now and then.
    package struct Progress: Sendable, Equatable {
        package let explored: Int
        /// The number that is aimed at: the prediction, or the limit below it.
        package let expected: UInt64?
    }

    /// The automatic strategy enumerates up to this number: it takes less than a second.
    package static let automaticMax = 5_000
    /// So many schedules are drawn before a larger space is reduced: they show at once what is
    /// common.
    package static let scoutMax = 300

    /// The same where nothing is known of a space before it is walked.
    package static let openScoutMax = 32

    /// So many schedules at least check that those of a reduced walk show what all show.
    package static let checkMin = 200

    package let plan: SchedulePlan
    /// Schedules above this number are not all run.
    package var limit: Int
    package var seed: UInt64
    package var strategy = Strategy.automatic
    package var shard: Shard?
    /// Whether the automatic strategy begins with a quick sample also where nothing is known of the
    /// space.
    package var scoutsFirst = false
    /// No schedule starts after this.
    package var deadline: ContinuousClock.Instant?
    /// Called every this many schedules.
    package var progressInterval = 256

    package init(plan: SchedulePlan, limit: Int, seed: UInt64 = 1) {
        self.plan = plan
        self.limit = limit
        self.seed = seed
    }

    /// Explores as the strategy says, in one world. A file's pinned schedules are the runner's
    /// business; here that strategy means the automatic one.
    ///
    /// - Parameters:
    ///   - visit: called after each complete schedule; false stops.
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

/// Keeps nothing: whoever visits schedules in one world keeps what it wants.
private struct NoRecord: WalkRecord {
    mutating func join(_: NoRecord, first _: Int) {}
}
