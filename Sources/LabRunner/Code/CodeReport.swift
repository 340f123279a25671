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

/// A schedule of code that fails; thrown out of a test, it fails the test.
public struct CodeFailure: Error, Sendable, CustomStringConvertible {
    /// The name of the exploration.
    public let name: String
    /// What sessions have thrown, expectations that failed, and findings with their proof.
    public let reasons: [String]
    /// How many schedules had run before.
    public let schedules: Int
    /// How often another thread goes on in the schedule.
    public let switches: Int
    /// Names the schedule.
    public let token: String
    /// What the threads did, with the places in the program's own code.
    public let story: [String]

    init(
        name: String, end: CodeWorld.End, schedules: Int, switches: Int, token: String,
        story: [String]
    ) {
        self.name = name
        reasons =
            end.failures
            + (end.isFailure ? end.findings : end.warnings).map { finding in
                ([finding.name + ": " + finding.prose] + finding.evidence.map { "    \($0)" })
                    .joined(separator: "\n")
            }
        self.schedules = schedules
        self.switches = switches
        self.token = token
        self.story = story
    }

    /// The reasons, the schedule line by line, and the line that replays it.
    public var description: String {
        let head = "\(name): fails after \(schedules) schedules, with \(switches) switches"
        return
            ([head] + reasons.map { "  \($0)" } + ["  the schedule:"]
            + story.map { "    \($0)" } + ["  FAULTLINE_REPLAY='\(token)' swift test"])
            .joined(separator: "\n")
    }
}
