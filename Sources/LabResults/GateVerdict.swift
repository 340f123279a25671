// Owns the result file of `gate` and `compare`; the bench compares, reports and exit codes follow.

/// What a comparison of a bench report with its baseline says.
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

    package init(
        status: Status, baseline: String, compared: Int, differences: [GateDifference],
        missing: [String] = []
    ) {
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
