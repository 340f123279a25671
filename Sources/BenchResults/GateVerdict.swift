import LabFiles

/// The result of comparing a benchmark report with its baseline. It determines the gate's exit
/// code.
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
    /// The path of the baseline file, as the user wrote it.
    package var baseline: String
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
    /// Workloads that exist only in this run, if new workloads are permitted.
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
    package var file: String
    package var line: Int?
    /// The median time of one run; nil if it was not timed.
    package var nanoseconds: UInt64?
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
        /// Worse than the baseline. The gate fails.
        case regression
        /// Better than the baseline. It is reported, so that the baseline can be updated.
        case improvement
        /// A difference that is neither better nor worse, such as another checksum. The gate fails.
        case change
    }

    package var effect: Effect
    package var workload: String
    package var strategy: String
    /// The name of the figure, such as `statements.select` or `rows`.
    package var metric: String
    package var baseline: String
    package var current: String
    /// Evidence of the cause: statements that appeared, disappeared or ran a different number of
    /// times.
    package var statements: [String]
    /// The statements that ran more often than before. Differences that share one have a common
    /// cause.
    package var shapes: [String]?
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

/// The comparison of one strategy's times with those of the baseline.
package struct TimeComparison: Codable, Sendable, Hashable {
    package enum Verdict: String, Codable, Sendable {
        case improved
        case regressed
        /// The whole interval of the ratio is within the smallest change that matters.
        case same
        /// The samples are too few or vary too much for another verdict.
        case unresolved
    }

    package var workload: String
    package var strategy: String
    /// The compared quantity. It is `time` for builds that were measured in the same rounds.
    /// Otherwise it is `ratio-to-c`, or `ratio-to-yardstick` for operations without a C baseline.
    package var metric: String
    /// The current time divided by the previous one. A value below 1 is faster.
    package var ratio: Ratio
    /// The p-value of the rank test (Mann–Whitney).
    package var chance: Double
    /// The smallest change that matters, as a factor such as 1.1.
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
