import LabFiles

/// The result of comparing a benchmark report with its baseline. The verdict determines the gate's
/// exit code.
package struct GateVerdict: SavedResult, Sendable, Hashable {
    package enum Status: String, Codable, Sendable {
        case passed
        case failed
        /// No figure was compared, or a part of the baseline was not measured.
        case inconclusive
    }

    package static let kind = ResultKind.gate

    package var header: ResultHeader
    package var status: Status
    /// The path of the baseline file as the user wrote it.
    package var baseline: String
    /// The number of figures that were compared.
    package var compared: Int
    package var differences: [GateDifference]
    /// Workloads and strategies that exist only in the baseline or only in this run.
    package var missing: [String]
    /// The compared times as ratios; nil if no time was compared.
    package var times: [TimeComparison]?
    /// Differences that a second measurement did not confirm.
    package var unconfirmed: [String]?
    /// The compared figures of each strategy; nil in files of earlier versions.
    package var subjects: [GateSubject]?
    /// Workloads that exist only in this run, if new workloads are allowed.
    package var added: [String]?

    package init(
        status: Status, baseline: String, compared: Int, differences: [GateDifference],
        missing: [String] = [], times: [TimeComparison]? = nil, unconfirmed: [String]? = nil,
        subjects: [GateSubject]? = nil, added: [String]? = nil
    ) {
        self.added = added
        self.subjects = subjects
        self.times = times
        self.unconfirmed = unconfirmed
        self.header = ResultHeader(.gate)
        self.status = status
        self.baseline = baseline
        self.compared = compared
        self.differences = differences
        self.missing = missing
    }
}

/// One strategy of a workload that was compared.
package struct GateSubject: Codable, Sendable, Hashable {
    package var workload: String
    package var strategy: String
    /// The file that declares the workload.
    package var file: String
    package var line: Int?
    /// The median time of one run; nil if nothing was timed.
    package var nanoseconds: UInt64?
    /// The names of the figures that were compared.
    package var figures: [String]

    package init(
        workload: String, strategy: String, file: String, line: Int? = nil,
        nanoseconds: UInt64? = nil, figures: [String] = []
    ) {
        self.workload = workload
        self.strategy = strategy
        self.file = file
        self.line = line
        self.nanoseconds = nanoseconds
        self.figures = figures
    }
}

/// One figure that differs from the baseline.
package struct GateDifference: Codable, Sendable, Hashable {
    package enum Effect: String, Codable, Sendable {
        /// Worse than the baseline: the gate fails.
        case regression
        /// Better than the baseline: reported, so that the baseline can be updated.
        case improvement
        /// Different but neither better nor worse, such as a checksum: the gate fails.
        case change
    }

    package var effect: Effect
    package var workload: String
    package var strategy: String
    /// The figure's name, such as `statements.select` or `rows`.
    package var metric: String
    package var baseline: String
    package var current: String
    /// Statements that appeared, disappeared or ran a different number of times, as evidence of the
    /// cause.
    package var statements: [String]
    /// The SQL texts that were executed more often than before. Differences that share a SQL text
    /// have a common cause.
    package var shapes: [String]?
    /// A sentence about the difference.
    package var message: String

    package init(
        effect: Effect, workload: String, strategy: String, metric: String, baseline: String,
        current: String, statements: [String] = [], shapes: [String]? = nil, message: String
    ) {
        self.shapes = shapes
        self.effect = effect
        self.workload = workload
        self.strategy = strategy
        self.metric = metric
        self.baseline = baseline
        self.current = current
        self.statements = statements
        self.message = message
    }
}

/// One strategy's times compared with the baseline's.
package struct TimeComparison: Codable, Sendable, Hashable {
    package enum Verdict: String, Codable, Sendable {
        case improved
        case regressed
        /// The whole interval of the ratio is within the smallest relevant change.
        case same
        /// The samples are too few or too scattered for another verdict.
        case unresolved
    }

    package var workload: String
    package var strategy: String
    /// The compared quantity: `time` for builds that were measured in the same rounds; otherwise
    /// `ratio-to-c`, or `ratio-to-yardstick` for operations without a C baseline.
    package var metric: String
    /// The current time divided by the previous one: below 1 is faster.
    package var ratio: Ratio
    /// The p-value of the rank test (Mann–Whitney).
    package var chance: Double
    /// The smallest relevant change, as a factor such as 1.1.
    package var threshold: Double
    package var verdict: Verdict

    package init(
        workload: String, strategy: String, metric: String, ratio: Ratio, chance: Double,
        threshold: Double, verdict: Verdict
    ) {
        self.workload = workload
        self.strategy = strategy
        self.metric = metric
        self.ratio = ratio
        self.chance = chance
        self.threshold = threshold
        self.verdict = verdict
    }
}
