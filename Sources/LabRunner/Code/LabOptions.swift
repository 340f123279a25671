import Foundation
import LabSchedule

extension Lab {
    /// The points at which a schedule of code can switch to another thread.
    public enum Grain: String, Sendable, CaseIterable {
        /// At the start of a block or a job, and where a thread would have to wait.
        case blocks
        /// As for `blocks`. Also before each fetch, fault and save, before a save writes, and after
        /// its commit.
        case operations
    }

    /// How an exploration chooses schedules.
    public enum Strategy: Sendable, Equatable {
        /// First a quick sample, then one schedule of each class (see ``reduced``). If there are
        /// too many classes, the schedules with few preemptions.
        case automatic
        /// Every schedule.
        case exhaustive
        /// One schedule of each class. Two schedules are in one class if they differ only in the
        /// order of independent steps, which use no common data, queue or lock.
        case reduced
        /// Every schedule with at most this number of preemptions (switches away from a session
        /// that could continue).
        case bounded(Int)
        /// Randomly drawn schedules, each with equal probability.
        case random
        /// Probabilistic concurrency testing (PCT) with this number of priority change points.
        case pct(depth: Int)
        /// Randomly drawn partial orders: two conflicting steps run in either order about equally
        /// often.
        case partialOrder
        /// Random schedules. If steps use one resource, all orders of these steps are equally
        /// likely.
        case selective

        var schedules: LabSchedule.Strategy {
            switch self {
            case .automatic: .automatic
            case .exhaustive: .exhaustive
            case .reduced: .reduced
            case .bounded(let count): .bounded(count)
            case .random: .random
            case .pct(let depth): .pct(depth: depth)
            case .partialOrder: .partialOrder
            case .selective: .selective
            }
        }
    }

    /// The findings of the lab's detectors that make a schedule fail, in addition to errors and
    /// failed expectations. All other findings are in ``CodeReport/findings``.
    public enum Failing: Sendable, Equatable {
        /// Findings about lost or wrong data after successful saves: lost updates and properties,
        /// and rows that are created twice, overwritten, resurrected or left behind.
        case losses
        /// Every finding.
        case all
        /// No finding.
        case nothing
        /// The findings with these names.
        case named(Set<String>)

        func includes(_ finding: String) -> Bool {
            switch self {
            case .losses: Self.lossNames.contains(finding)
            case .all: true
            case .nothing: false
            case .named(let names): names.contains(finding)
            }
        }

        static let lossNames: Set<String> = [
            "lost update", "lost property", "blanked by trump", "unique race", "ghost update",
            "resurrected delete", "dangling relationship", "broken inverse", "read your writes",
        ]
    }

    /// Options of ``Lab/explore(_:_:_:)``.
    public struct Options: Sendable {
        /// How schedules are chosen.
        public var strategy = Strategy.automatic
        /// The maximum number of schedules.
        public var limit = 5_000
        /// The seed of the drawn schedules.
        public var seed: UInt64 = 1
        /// The time after which no schedule starts.
        public var timeBudget = Duration.seconds(30)
        /// The positions at which a schedule can switch to another thread.
        public var grain = Grain.operations
        /// The findings that fail a schedule.
        public var fails = Failing.losses
        /// How long a session may run without a call to the lab. A session that takes longer counts
        /// as waiting for an event that the lab does not know.
        public var patience = Duration.seconds(5)
        /// How many sleeps of one task, or timers of one queue's blocks, may end at any moment.
        /// Later ones end only if no thread of the schedule can continue.
        public var freeTimers = 3
        /// The token of the only schedule to run. By default the token in `FAULTLINE_REPLAY`, if it
        /// names this exploration.
        public var replay: String?
        /// Whether the lab tries cures after a failure: runs with one change at a time, such as
        /// another merge policy. They take at most a quarter of the time budget.
        public var cures: Bool
        /// Whether a failure says from which step on it is certain: the share of the continuations
        /// that fail, after each step. The additional schedules take at most a quarter of the time
        /// budget.
        public var certainty = false
        /// A folder for an HTML page of the exploration, named after the exploration; if nil, the
        /// folder in `FAULTLINE_REPORT`.
        public var report: URL?
        let outsidePatience = OutsidePatience()
        let delays = CodeDelays()
        var change = CodeChange()
        /// The exploration that a message about a trap names; nil for no message.
        var origin: TrapReport.Origin?
        /// The most steps of a schedule; nil for no bound.
        var turnsMax: Int?

        /// The least number of schedules that check whether a reduced walk shows every result.
        package var checkMin = 200
        /// The maximum number of schedules of each search for a smaller schedule that fails.
        package var searchMax = 500

        /// Whether to omit reads of rows from the footprints (recorded accesses). Tests set this to
        /// verify that the check after a reduced exploration finds the missed results.
        package var forgetsReads = false

        /// Creates options.
        public init(
            strategy: Strategy = .automatic, limit: Int = 5_000, seed: UInt64 = 1,
            timeBudget: Duration = .seconds(30), grain: Grain = .operations, cures: Bool = true,
            report: URL? = nil
        ) {
            self.strategy = strategy
            self.limit = limit
            self.seed = seed
            self.timeBudget = timeBudget
            self.grain = grain
            self.cures = cures
            self.report = report
        }
    }
}
