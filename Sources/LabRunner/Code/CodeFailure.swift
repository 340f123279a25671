import ContextHistory
import LabCheck
import LabResults

/// The error that describes a failing schedule. A test that throws this error fails.
public struct CodeFailure: Error, Sendable, CustomStringConvertible {
    /// The name of the exploration.
    public let name: String
    /// The errors that sessions threw, the expectations that failed, and the findings with their
    /// evidence.
    public let reasons: [String]
    /// The number of schedules that had run before this one.
    public let schedules: Int
    /// The number of switches from one thread to another in the schedule.
    public let switches: Int
    /// The token of the schedule.
    public let token: String
    /// The operations of the threads, one per line, with the context and the source position.
    public let story: [String]
    /// The source positions of threads that wait for each other for ever.
    public let waits: [String]
    /// The merge policies of contexts that saved, spelled as in Swift code.
    public let policies: [String]
    /// The line of code that runs only this schedule.
    public let command: String
    /// The result of each change that the lab tried; empty if no changes were requested.
    public internal(set) var cures: [CodeCure] = []
    /// The path of the HTML page, or the reason why it was not written; nil if no page was
    /// requested.
    public internal(set) var page: String?
    /// The path of the scenario file, or the reason why it was not written; nil if no file was
    /// requested.
    public internal(set) var scenario: String?
    /// A warning that a checking schedule has a result that the exploration missed.
    public internal(set) var doubt: String?
    /// The circles of saves that prove that no serial order of the saves has this result. Each text
    /// has a title, and a line for each dependency.
    public let cycles: [String]
    /// The share of the continuations that fail, before the first step of the schedule and after
    /// each step; nil where the time was up. Empty if ``Lab/Options/certainty`` is off.
    public let losses: [Double?]
    let findings: [Detection]
    let proofs: [Cycle]
    let failures: [String]
    /// Whether this schedule passed, and only shows that another schedule can fail.
    let isWarning: Bool
    let timeline: Timeline?

    init(
        name: String, end: CodeWorld.End, schedules: Int, switches: Int, token: String,
        story: ToldStory, command: String
    ) {
        losses = story.losses.map { $0?.share }
        certainFrom = Self.certainFrom(story.losses)
        proofs = story.cycles
        cycles = proofs.map { $0.lines.joined(separator: "\n") }
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

    /// The number of the step from which on every continuation fails, from 1. Nil if this is not
    /// known, or if the step is 0 because every schedule fails.
    public let certainFrom: Int?

    private static func certainFrom(_ losses: [Timeline.Loss?]) -> Int? {
        let open = losses.lastIndex { loss in
            guard let loss else { return true }
            return loss.low != nil || loss.share < 1 - 1e-9
        }
        guard let open, open + 1 < losses.count, losses[open] != nil else { return nil }
        return open + 1
    }

    private var certainty: [String] {
        certainFrom.map { step in
            ["  step \(step) of \(losses.count - 1) makes the failure certain"]
        } ?? []
    }

    /// Whether the failure does not depend on saves, because threads wait for each other or misuse
    /// objects.
    var isAboutThreads: Bool {
        let names = ["deadlock", Misuse.queueConfinement.rawValue]
        return failures.allSatisfy { $0.contains(" never ends: ") }
            && findings.allSatisfy { names.contains($0.name) }
    }

    /// The reasons, the operations of the schedule and the tried cures. The last line is the code
    /// that replays the schedule.
    public var description: String {
        let head = "\(name): fails after \(schedules) schedules, with \(switches) switches"
        return
            ([head] + reasons.map { "  " + $0.replacing("\n", with: "\n  ") }
            + cycles.map { "  cycle: " + $0.replacing("\n", with: "\n    ") }
            + waits.map { "    \($0)" } + certainty
            + ["  the schedule:"] + story.map { "    \($0)" }
            + cureLines + (doubt.map { ["  \($0)"] } ?? []) + (page.map { ["  page: \($0)"] } ?? [])
            + (scenario.map { ["  scenario: \($0)"] } ?? []) + ["  \(command)"])
            .joined(separator: "\n")
    }

    private var cureLines: [String] {
        guard !cures.isEmpty else { return [] }
        let width = cures.map(\.name.count).max() ?? 0
        let now = policies.isEmpty ? "" : " (policy of the contexts that saved: \(policyList))"
        return ["  the same sessions with one change\(now):"]
            + cures.map { cure in
                let padding = String(repeating: " ", count: width - cure.name.count)
                return "  \(cure.helps ? "✓" : " ") \(cure.name)\(padding)  \(cure.result)"
            }
    }

    private var policyList: String { policies.joined(separator: ", ") }
}
