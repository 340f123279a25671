import ContextHistory
import CoreDataTrace
import Foundation
import LabCheck

/// Options for exploring an existing test.
package struct TestOptions: Sendable {
    package enum Mode: Sendable {
        case automatic
        case perturbed
    }

    /// The maximum number of schedules.
    package var schedules = 100
    /// The seed of the drawn schedules and delays.
    package var seed: UInt64 = 1
    package var mode = Mode.automatic
    /// The time after which no schedule starts.
    package var timeBudget = Duration.seconds(60)
    /// How long the test may run without a call to the lab.
    package var patience = Duration.seconds(5)
    /// How long a run on real threads may take.
    package var runLimit = Duration.seconds(120)
    /// How long all schedules may take, including the last one.
    var schedulesLimit: Duration { timeBudget * 4 + runLimit }

    package init(schedules: Int = 100, seed: UInt64 = 1, mode: Mode = .automatic) {
        self.schedules = schedules
        self.seed = seed
        self.mode = mode
    }
}

/// The result of exploring a test.
package struct TestVerdict: Sendable, CustomStringConvertible {
    /// How far the lab controlled the test's threads.
    package enum Control: String, Sendable {
        /// Every switch was the schedule's choice.
        case controlled
        case perturbed
        /// The test uses only one thread, so there is only one schedule, which has run.
        case singleThreaded = "single-threaded"
        /// The test creates no stack, so no schedules followed its first run.
        case noStack = "without a stack"
        /// The test fails or is skipped in the run before the first schedule.
        case asItIs = "as it is"
    }

    package let name: String
    package var control: Control
    package var schedules = 1
    package var failure: CodeFailure?
    /// The result of the run without a schedule, if no schedule follows it.
    var ending: String?
    /// Notes on threads that were not controlled, on the end of the exploration, and on two runs
    /// that differed.
    package var notes: [String] = []

    /// Adds the findings of a schedule, unless a note of the same kind exists.
    mutating func note(_ end: CodeWorld.End) {
        for found in end.warnings.prefix(1) + end.told
        where !notes.contains(where: { $0.hasPrefix(found.name) }) {
            notes.append("\(found.name): \(found.prose)")
        }
    }

    /// Writes the verdict to standard error, in addition to the output of tests.
    package func tell() { StandardStream.log("\(self)\n") }

    /// A summary in one line, followed by the notes.
    package var description: String {
        let count = schedules == 1 ? "1 schedule" : "\(schedules) schedules"
        let end = ending ?? (failure == nil ? "nothing failed" : "a schedule fails")
        return
            (["explored \(name): \(control.rawValue), \(count), \(end)"] + notes.map { "  \($0)" })
            .joined(separator: "\n")
    }
}

package struct TestFailures: Sendable {
    package var all: [String]
    package var isSkipped = false

    package init(_ all: [String], isSkipped: Bool = false) {
        self.all = all
        self.isSkipped = isSkipped
    }
}
