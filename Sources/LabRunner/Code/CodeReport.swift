import ContextHistory
import Foundation
import LabCheck

/// The result of an exploration of code without a failure.
public struct CodeReport: Sendable, CustomStringConvertible {
    /// The name of the exploration.
    public let name: String
    /// The number of schedules that have run.
    public let schedules: Int
    /// Whether the schedules that ran cover all schedules.
    public let isComplete: Bool
    /// How the schedules were chosen.
    public let strategy: String
    /// The estimated total number of schedules, computed from randomly drawn ones; nil if none was
    /// drawn.
    public let estimate: Double?
    /// The limit that ended the exploration; nil if the exploration was complete.
    public let stoppedAt: String?
    /// The number of schedules for each result of ``CodeLab/observe(_:_:)``.
    public let outcomes: [String: Int]
    /// The number of schedules with each finding of the lab's detectors. Findings that do not make
    /// a schedule fail count, too.
    public let findings: [String: Int]
    /// The number of extra schedules that confirmed the result of the exploration. They are all
    /// schedules, or a random sample. 0 if the strategy does not need this check.
    public let checked: Int
    /// The operations of the threads if only one schedule was replayed.
    public let story: [String]

    /// A summary in one sentence, followed by the outcomes.
    public var description: String {
        let about = estimate.map { ", of about \(Self.rounded($0))" } ?? ""
        let end =
            isComplete
            ? "which represent all" : (stoppedAt.map { "stopped at \($0)" } ?? strategy) + about
        let values = outcomes.sorted { $0.key < $1.key }.filter { !$0.key.isEmpty }
        return
            (["\(name): \(schedules) schedules, \(end): nothing failed"] + story
            + values.map { "  \($0.value) × \($0.key)" }
            + findings.sorted { $0.key < $1.key }.map { "  \($0.key) in \($0.value)" })
            .joined(separator: "\n")
    }

    private static func rounded(_ number: Double) -> String {
        number < 10_000 ? "\(Int(number.rounded()))" : "10^\(Int(log10(number).rounded()))"
    }
}
