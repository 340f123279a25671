import Foundation
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
    /// How many schedules there seem to be, from those that were drawn; nil where none was.
    public let estimate: Double?
    /// The bound that ended it; nil where it came to its end.
    public let stoppedAt: String?
    /// How many of them came to which values of ``CodeLab/observe(_:_:)``.
    public let outcomes: [String: Int]
    /// In how many of them the lab's detectors have found what, also what fails no schedule.
    public let findings: [String: Int]
    /// What the threads did, where a single schedule was replayed.
    public let story: [String]

    /// A sentence, and the outcomes below it.
    public var description: String {
        let about = estimate.map { ", of about \(Self.rounded($0))" } ?? ""
        let end =
            isComplete
            ? "which stand for all" : (stoppedAt.map { "stopped at \($0)" } ?? strategy) + about
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
