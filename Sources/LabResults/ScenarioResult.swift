/// The result of one scenario in one cell of its matrix.
package struct ScenarioResult: Codable, Sendable, Hashable {
    /// The command that ran the scenario: in the written order, in every interleaving, or in the
    /// order of a token.
    package enum Mode: String, Codable, Sendable {
        case run
        case explore
        case replay
    }

    package var name: String
    /// The path of the scenario file, relative to the tool's working folder.
    package var file: String
    /// The required behaviour, from the scenario file.
    package var sentence: String
    package var references: [String]
    /// The values of the axes of the matrix, in the order of the file; empty without a matrix.
    package var cell: [AxisValue]
    package var mode: Mode
    package var schedules: ScheduleCount
    package var outcomes: [OutcomeResult]
    package var findings: [Finding]
    package var verdict: Verdict
    /// The reasons for the verdict, one line for each; empty if the scenario passed.
    package var reasons: [String]
    package var transcripts: [Transcript]
    /// The data for joining this shard with others; nil if the result is not a shard.
    package var record: ShardRecord?

    package init(
        name: String, file: String, sentence: String, references: [String] = [],
        cell: [AxisValue] = [], mode: Mode, schedules: ScheduleCount,
        outcomes: [OutcomeResult] = [], findings: [Finding] = [], verdict: Verdict,
        reasons: [String] = [], transcripts: [Transcript] = [], record: ShardRecord? = nil
    ) {
        self.name = name
        self.file = file
        self.sentence = sentence
        self.references = references
        self.cell = cell
        self.mode = mode
        self.schedules = schedules
        self.outcomes = outcomes
        self.findings = findings
        self.verdict = verdict
        self.reasons = reasons
        self.transcripts = transcripts
        self.record = record
    }

    /// The cell as text, such as `policy=error,store=sqlite`; empty without a matrix.
    package var cellText: String {
        cell.map { "\($0.axis)=\($0.value)" }.joined(separator: ",")
    }
}

/// The value of one matrix axis in a cell.
package struct AxisValue: Codable, Sendable, Hashable {
    package var axis: String
    package var value: String

    package init(_ axis: String, _ value: String) {
        self.axis = axis
        self.value = value
    }
}

/// The total number of interleavings, and the number that ran.
package struct ScheduleCount: Codable, Sendable, Hashable {
    /// The computed number of interleavings; nil if it overflows or is unknown.
    package var predicted: Int?
    package var explored: Int
    /// The method of choosing schedules, such as `exhaustive` or `as written`.
    package var strategy: String
    /// The limit that ended the exploration; nil if it was complete.
    package var stoppedAt: String?
    /// The number of schedules that the explored ones represent, if it differs from `explored`.
    package var represented: Int?
    /// The shard of the schedules that this process ran, such as `1/4`; nil if it ran all.
    package var shard: String?

    package init(
        predicted: Int? = nil, explored: Int, strategy: String, stoppedAt: String? = nil,
        represented: Int? = nil, shard: String? = nil
    ) {
        self.represented = represented
        self.shard = shard
        self.predicted = predicted
        self.explored = explored
        self.strategy = strategy
        self.stoppedAt = stoppedAt
    }
}

/// A distinct outcome and the number of schedules that led to it.
package struct OutcomeResult: Codable, Sendable, Hashable {
    package struct Observation: Codable, Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package var observed: [Observation]
    package var grade: Grade
    package var reason: String
    /// The number of schedules with this outcome. It is 0 for an expected outcome that did not
    /// occur.
    package var count: Int
    /// The token of the first schedule with this outcome.
    package var token: String?
    /// The id of the transcript of the first schedule with this outcome.
    package var transcript: String?
    /// The ids of the findings (such as a lost update) that the first schedule with this outcome
    /// has.
    package var findings: [String]

    package init(
        observed: [Observation], grade: Grade, reason: String, count: Int, token: String? = nil,
        transcript: String? = nil, findings: [String] = []
    ) {
        self.observed = observed
        self.grade = grade
        self.reason = reason
        self.count = count
        self.token = token
        self.transcript = transcript
        self.findings = findings
    }

    package var text: String {
        "(" + observed.map { "\($0.name) = \($0.value)" }.joined(separator: ", ") + ")"
    }
}
