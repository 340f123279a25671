import Foundation
import LabSchedule

extension Lab {
    /// Where a schedule of code may switch.
    public enum Grain: String, Sendable, CaseIterable {
        /// Where a block or a job begins, and where a thread would have to wait.
        case blocks
        /// Also before each fetch, fault and save, before its write, and after its commit.
        case operations
    }

    /// How an exploration chooses schedules.
    public enum Strategy: Sendable, Equatable {
        /// A quick sample, then one schedule of each class; beyond the limit those with few
        /// preemptions.
        case automatic
        /// Every schedule.
        case exhaustive
        /// One schedule of each class: orders of steps that touch nothing in common are one class.
        case reduced
        /// Every schedule with at most so many switches away from a session that could go on.
        case bounded(Int)
        /// Drawn with equal probability.
        case random
        /// Probabilistic concurrency testing with so many points at which priorities change.
        case pct(depth: Int)
        /// Partial orders, drawn: steps that conflict come in either order about as often.
        case partialOrder
        /// Random walks that are uniform in the orders of the steps which touch one thing.
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

    /// Which findings of the lab's detectors fail a schedule, beside what it throws and expects.
    /// All others are told in ``CodeReport/findings``.
    public enum Failing: Sendable, Equatable {
        /// What is lost or broken although every save has succeeded: lost updates and properties,
        /// rows made twice, written over, brought back or left behind.
        case losses
        /// Every finding.
        case all
        /// No finding.
        case nothing
        /// The findings of these names.
        case named(Set<String>)

        func includes(_ finding: String) -> Bool {
            switch self {
            case .losses: Self.lossNames.contains(finding)
            case .all: true
            case .nothing: false
            case .named(let names): names.contains(finding)
            }
        }

        private static let lossNames: Set<String> = [
            "lost update", "lost property", "blanked by trump", "unique race", "ghost update",
            "resurrected delete", "dangling relationship", "broken inverse", "read your writes",
        ]
    }

    /// How ``Lab/explore(_:_:_:)`` runs code.
    public struct Options: Sendable {
        /// How schedules are chosen.
        public var strategy = Strategy.automatic
        /// The most schedules.
        public var limit = 5_000
        /// The seed of what is drawn.
        public var seed: UInt64 = 1
        /// No schedule starts after so long.
        public var timeBudget = Duration.seconds(30)
        /// Where a schedule may switch.
        public var grain = Grain.operations
        /// Which findings fail a schedule.
        public var fails = Failing.losses
        /// How long a session may run without coming to the lab, before it counts as one that waits
        /// for something else.
        public var patience = Duration.seconds(5)
        /// A token whose schedule is run alone; that of `FAULTLINE_REPLAY` where it names this
        /// exploration.
        public var replay: String?
        /// Whether a failure is followed by runs with one thing changed at a time, such as the
        /// merge policy; they take a quarter of the time budget at most.
        public var cures: Bool
        /// A folder that gets an HTML page of the exploration, named after it; the one that
        /// `FAULTLINE_REPORT` names where this is nil.
        public var report: URL?
        /// What is tried in place of the code as it is.
        var change = CodeChange()

        /// How many lanes what one session makes has.
        var lanesPerMaker = 6

        /// Explores as the strategy says.
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
