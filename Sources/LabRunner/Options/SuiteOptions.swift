import LabSchedule
import Synchronization

/// The options for running scenarios.
public struct SuiteOptions: Sendable {
    /// The maximum number of schedules per cell; nil for the number in the file.
    public var limit: Int?
    /// The seed of a sample; nil for the seed in the file.
    public var seed: UInt64?
    package var requiresFixtures = false
    /// The policies that scenarios may name; register custom ones here.
    public var policies = PolicyRegistry()
    package var fixtures = Fixtures.found()
    /// Whether scenario files may name files outside their own folders.
    package var allowsOutside = false
    /// The strategy; nil for the file's, or the automatic one.
    package var strategy: Strategy?
    package var shard: Shard?
    /// The number of threads that run cells and schedules, each with its own world. Results do not
    /// depend on it. With more than one thread, the policies that a program registers are called on
    /// several threads.
    public var jobs = 1
    /// The time for all cells together; each cell gets a share of the remaining time.
    package var timeBudget: Duration?
    /// The transcripts that contain the state of every lane at each step.
    package enum Timelines: Sendable {
        case none
        /// Only the transcripts of outcomes that are not acceptable, and of findings.
        case telling
        case all
    }

    package var timelines = Timelines.none
    /// Whether the transcripts of losing schedules contain the share of the continuations that
    /// lose, after each step.
    public var certainty = false
    /// The time after which a run on real threads counts as hanging. The time for which threads
    /// wait for a core does not count.
    package var patience = Duration.seconds(10)
    /// The store on which scenarios run; nil for the stores of their files.
    package var store: StoreChoice?
    /// Whether a matrix also shows other topologies and stores.
    package var wantsVariants = false
    /// Called with notes about the progress of an exploration. They contain times, so they are not
    /// part of the results.
    package var notes: @Sendable (ExploringNote) -> Void = { _ in }

    /// Creates the default options, which follow the files.
    public init() {}

    /// Reads a strategy from the command line; returns false if the text is not a strategy.
    package mutating func setStrategy(_ text: String) -> Bool {
        strategy = Strategy(text)
        return strategy != nil
    }

    package static var strategyForms: [String] { Strategy.forms }

    /// Reads a shard from the command line, `i/n`; returns false if the text is not a shard.
    package mutating func setShard(_ text: String) -> Bool {
        shard = Shard(text)
        return shard != nil
    }
}

/// A note about the progress of an exploration, separate from the results.
package enum ExploringNote: Sendable {
    case predicted(String, Prediction, Strategy)
    /// The first schedule with a bad result.
    case witness(String, String, token: String)
    case finished(String, Explorer.Summary, after: Duration)

    package var text: String {
        switch self {
        case .predicted(let label, let prediction, let strategy):
            let most = prediction.isUpperBound ? "at most " : ""
            let count = prediction.count.map { most + String($0) } ?? "more than the lab can count"
            let about = prediction.isExact ? "" : ", if every save succeeds"
            return "\(label): predicted \(count) schedules\(about); strategy \(strategy)"
        case .witness(let label, let what, let token): return "\(label): \(what): \(token)"
        case .finished(let label, let summary, let time):
            let abandoned =
                summary.abandoned > 0 ? " and \(summary.abandoned) abandoned early" : ""
            let others = summary.runs - summary.explored - summary.abandoned
            let sample = others > 0 ? " after a sample of \(others)" : ""
            return "\(label): \(summary.explored) schedules\(abandoned)\(sample),"
                + " \(TimeShares.rate(of: summary.runs, in: time))/s:"
                + " \(summary.times.text)"
        }
    }
}

/// Divides a time between cells: each gets an equal share of the remaining time when it starts.
final class TimeBudget: Sendable {
    private let end: ContinuousClock.Instant
    private let cells: Mutex<Int>
    private let jobs: Int

    init(_ budget: Duration, cells: Int, jobs: Int) {
        end = .now + budget
        self.cells = Mutex(cells)
        self.jobs = jobs
    }

    var isOver: Bool { ContinuousClock.now >= end }

    func deadlineOfNextCell() -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        let left = cells.withLock { cells in
            defer { cells = max(1, cells - 1) }
            return max(1, cells)
        }
        return now + (end - now) * min(jobs, left) / left
    }
}
