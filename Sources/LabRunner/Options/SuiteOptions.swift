import LabSchedule
import Synchronization

/// How scenarios are run.
public struct SuiteOptions: Sendable {
    /// The most schedules per cell; the file's own number when nil.
    public var limit: Int?
    /// The seed of a sample; the file's own when nil.
    public var seed: UInt64?
    /// Whether a missing fixture fails instead of being skipped.
    package var requiresFixtures = false
    /// The policies that scenarios name; register your own here.
    public var policies = PolicyRegistry()
    package var fixtures = Fixtures.found()
    /// Whether files may name others outside of their folders.
    package var allowsOutside = false
    /// How schedules are chosen; as the file says, or automatically, when nil.
    package var strategy: Strategy?
    /// The part of the schedules that this process runs.
    package var shard: Shard?
    /// How many threads run cells and schedules, each in a world of its own. Results do not depend
    /// on it. With more than one, policies that a program registers are asked on several threads.
    public var jobs = 1
    /// The time for all cells together; each gets its part of what is left.
    package var timeBudget: Duration?
    /// Which transcripts come with the state of every lane at each step.
    package enum Timelines: Sendable {
        case none
        /// Those of outcomes that are not acceptable, and of findings.
        case telling
        case all
    }

    package var timelines = Timelines.none
    /// After this a run on real threads counts as hanging. The time that a thread waits for a core
    /// does not count.
    package var patience = Duration.seconds(10)
    /// Whether a matrix shows other topologies and stores, too.
    package var wantsVariants = false
    /// Told what exploring is about to do and what it has done; not part of the results, because
    /// it holds times.
    package var notes: @Sendable (ExploringNote) -> Void = { _ in }

    /// Everything as the files say.
    public init() {}

    /// Takes a strategy as the command line writes it; false if it is none.
    package mutating func setStrategy(_ text: String) -> Bool {
        strategy = Strategy(text)
        return strategy != nil
    }

    /// The forms of strategies, for messages.
    package static var strategyForms: [String] { Strategy.forms }

    /// Takes a shard as the command line writes it, `i/n`; false if it is none.
    package mutating func setShard(_ text: String) -> Bool {
        shard = Shard(text)
        return shard != nil
    }
}

/// What exploring tells beside its results.
package enum ExploringNote: Sendable {
    case predicted(String, Prediction, Strategy)
    /// The first schedule that shows something bad.
    case witness(String, String, token: String)
    case finished(String, Explorer.Summary, after: Duration)

    /// One line for people.
    package var text: String {
        switch self {
        case .predicted(let label, let prediction, let strategy):
            let most = prediction.isUpperBound ? "at most " : ""
            let count = prediction.count.map { most + String($0) } ?? "more than can be counted"
            let about = prediction.isExact ? "" : ", if every save succeeds"
            return "\(label): predicted \(count) schedules\(about); strategy \(strategy)"
        case .witness(let label, let what, let token): return "\(label): \(what): \(token)"
        case .finished(let label, let summary, let time):
            let abandoned =
                summary.abandoned > 0 ? " and \(summary.abandoned) given up early" : ""
            let others = summary.runs - summary.explored - summary.abandoned
            let sample = others > 0 ? " after a sample of \(others)" : ""
            return "\(label): \(summary.explored) schedules\(abandoned)\(sample),"
                + " \(TimeShares.rate(of: summary.runs, in: time))/s:"
                + " \(summary.times.text)"
        }
    }
}

/// Divides a time over cells: each gets an equal part of what is left when its turn comes.
final class TimeBudget: Sendable {
    private let end: ContinuousClock.Instant
    private let cells: Mutex<Int>
    private let jobs: Int

    /// - Parameter jobs: how many cells run side by side.
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
