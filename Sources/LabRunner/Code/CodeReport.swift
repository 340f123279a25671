import LabCheck

/// What an exploration of code has come to where nothing failed.
public struct CodeReport: Sendable, CustomStringConvertible {
    /// The name of the exploration.
    public let name: String
    /// How many schedules have run.
    public let schedules: Int
    /// Whether they stand for all.
    public let isComplete: Bool
    /// How they were chosen.
    public let strategy: String
    /// The bound that ended it; nil where it came to its end.
    public let stoppedAt: String?
    /// How many of them came to which values of ``CodeLab/observe(_:_:)``.
    public let outcomes: [String: Int]
    /// What the threads did, where a single schedule was replayed.
    public let story: [String]

    /// A sentence, and the outcomes below it.
    public var description: String {
        let end = isComplete ? "all of them" : stoppedAt.map { "stopped at \($0)" } ?? strategy
        let values = outcomes.sorted { $0.key < $1.key }.filter { !$0.key.isEmpty }
        return
            (["\(name): \(schedules) schedules, \(end): nothing failed"] + story
            + values.map { "  \($0.value) × \($0.key)" }).joined(separator: "\n")
    }
}
