import LabFiles

/// The result of a stress-test campaign against the engine.
///
/// An interrupted campaign can continue from its report.
package struct TortureReport: SavedResult, Sendable, Hashable {
    package static let kind = ResultKind.torture

    package var header: ResultHeader
    package var preset: String
    package var seed: UInt64
    package var parts: [TorturePartResult]
    /// The time limit for all parts together; nil if the number of attempts is limited instead.
    package var timeBudgetSeconds: Double?

    package init(preset: String, seed: UInt64, parts: [TorturePartResult] = []) {
        header = ResultHeader(.torture)
        self.preset = preset
        self.seed = seed
        self.parts = parts
    }

    /// Whether every planned attempt ran, or the time limit was reached.
    package var isComplete: Bool {
        parts.allSatisfy { $0.completed == $0.planned || $0.endedByTime == true }
    }

    /// The total time of all parts in seconds.
    package var spentSeconds: Double { parts.reduce(0) { $0 + $1.seconds } }
}

/// The results of one part of the campaign so far.
package struct TorturePartResult: Codable, Sendable, Hashable {
    /// The part's name, such as `kills`.
    package var name: String
    /// The maximum number of attempts, and the number that ran: attempts 0 to `completed` - 1.
    package var planned: Int
    package var completed: Int
    /// The minimum number of attempts, which run even after the time limit; nil without a time
    /// limit.
    package var floor: Int?
    /// Whether the time limit ended this part before all attempts ran.
    package var endedByTime: Bool?
    package var seconds: Double
    /// Totals over all attempts, by name, such as `acknowledged saves`.
    package var counts: [String: Int]
    package var failures: [TortureFailure]

    package init(name: String, planned: Int) {
        self.name = name
        self.planned = planned
        completed = 0
        seconds = 0
        counts = [:]
        failures = []
    }
}

/// One attempt that failed.
package struct TortureFailure: Codable, Sendable, Hashable {
    /// The number of the attempt. The seed and this number are sufficient to repeat the attempt.
    package var attempt: Int
    /// The description of the failure, in one line.
    package var what: String
    /// The input or the smallest scenario that reproduces the failure; nil if the attempt's number
    /// is sufficient.
    package var input: String?

    package init(attempt: Int, what: String, input: String? = nil) {
        self.attempt = attempt
        self.what = what
        self.input = input
    }
}
