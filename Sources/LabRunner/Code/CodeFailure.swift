import LabCheck
import LabResults

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
    /// What the threads did, each line with the context and the place in the program's own code.
    public let story: [String]
    /// Where threads that wait for each other for ever are in the program's own code.
    public let waits: [String]
    /// The merge policies of contexts that saved, as Swift spells them.
    public let policies: [String]
    /// The line that runs the schedule alone.
    public let command: String
    /// What became of the sessions with one thing changed; empty where that was not wanted.
    public internal(set) var cures: [CodeCure] = []
    /// Where the page is, or why there is none; nil where none was wanted.
    public internal(set) var page: String?
    /// Where the scenario file is that a recorder has made of the schedule, or why there is none;
    /// nil where none was wanted.
    public internal(set) var scenario: String?
    let findings: [Detection]
    let failures: [String]
    /// Whether it tells what could happen in another schedule, and nothing went wrong in this one.
    let isWarning: Bool
    let timeline: Timeline?

    init(
        name: String, end: CodeWorld.End, schedules: Int, switches: Int, token: String,
        story: ToldStory, command: String
    ) {
        self.name = name
        findings = end.isFailure ? end.findings : end.warnings
        failures = end.failures
        isWarning = !end.isFailure
        reasons =
            end.failures
            + findings.map { finding in
                ([finding.name + ": " + finding.prose] + finding.evidence.map { "    \($0)" })
                    .joined(separator: "\n")
            }
        self.schedules = schedules
        self.switches = switches
        self.token = token
        self.story = story.lines
        self.command = command
        waits = story.waits
        policies = story.policies
        timeline = story.timeline
    }

    /// Whether threads wait for each other or use what is not theirs, which no save decides.
    var isAboutThreads: Bool {
        let names = ["deadlock", Misuse.queueConfinement.rawValue]
        return failures.isEmpty && findings.allSatisfy { names.contains($0.name) }
    }

    /// The reasons, the schedule line by line, what would cure it, and the line that replays it.
    public var description: String {
        let head = "\(name): fails after \(schedules) schedules, with \(switches) switches"
        return
            ([head] + reasons.map { "  " + $0.replacing("\n", with: "\n  ") }
            + waits.map { "    \($0)" } + ["  the schedule:"] + story.map { "    \($0)" }
            + cureLines + (page.map { ["  page: \($0)"] } ?? [])
            + (scenario.map { ["  scenario: \($0)"] } ?? []) + ["  \(command)"])
            .joined(separator: "\n")
    }

    private var cureLines: [String] {
        guard !cures.isEmpty else { return [] }
        let width = cures.map(\.name.count).max() ?? 0
        let now = policies.isEmpty ? "" : " (policy of the contexts that saved: \(policyList))"
        return ["  with one thing changed\(now):"]
            + cures.map { cure in
                let padding = String(repeating: " ", count: width - cure.name.count)
                return "  \(cure.helps ? "✓" : " ") \(cure.name)\(padding)  \(cure.result)"
            }
    }

    private var policyList: String { policies.joined(separator: ", ") }
}
