/// What a comparison of a bench report with its baseline says.
///
/// The bench compares, reports and exit codes follow.
package struct GateVerdict: Codable, Sendable, Hashable {
    package enum Status: String, Codable, Sendable {
        case passed
        case failed
        /// Nothing was compared, or something of the baseline was not measured.
        case inconclusive
    }

    package var header: ResultHeader
    package var status: Status
    /// The baseline's file, as it was given.
    package var baseline: String
    /// The number of figures that were compared.
    package var compared: Int
    package var differences: [GateDifference]
    /// Workloads and strategies of the baseline that were not measured, and the reverse.
    package var missing: [String]
    /// Times that were compared, as paired ratios; nil where none were.
    package var times: [TimeComparison]?
    /// Differences that a second measurement did not show again.
    package var unconfirmed: [String]?

    package init(
        status: Status, baseline: String, compared: Int, differences: [GateDifference],
        missing: [String] = [], times: [TimeComparison]? = nil, unconfirmed: [String]? = nil
    ) {
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

/// One figure that differs from the baseline.
package struct GateDifference: Codable, Sendable, Hashable {
    package enum Effect: String, Codable, Sendable {
        /// Worse: the gate fails.
        case regression
        /// Better: reported, so that the baseline can be renewed.
        case improvement
        /// Different without being better or worse (a checksum): the gate fails.
        case change
    }

    package var effect: Effect
    package var workload: String
    package var strategy: String
    /// The figure's name, such as `statements.select` or `rows`.
    package var metric: String
    package var baseline: String
    package var current: String
    /// Statements that appeared, went away or changed their number: the cause by name.
    package var statements: [String]
    /// One sentence for a person.
    package var message: String

    package init(
        effect: Effect, workload: String, strategy: String, metric: String, baseline: String,
        current: String, statements: [String] = [], message: String
    ) {
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

/// One strategy's times beside the baseline's.
package struct TimeComparison: Codable, Sendable, Hashable {
    package enum Verdict: String, Codable, Sendable {
        case improved
        case regressed
        /// The whole interval lies within the smallest change that counts.
        case same
        /// Too few or too scattered samples to say one of the others.
        case unresolved
    }

    package var workload: String
    package var strategy: String
    /// What is compared: `time`, or `ratio-to-c` where the two were not measured side by side.
    package var metric: String
    /// Now divided by before: below 1 is faster.
    package var ratio: Ratio
    /// The chance of ranks as different as these if nothing had changed (Mann–Whitney).
    package var chance: Double
    /// The smallest change that counts, as a factor such as 1.1.
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
