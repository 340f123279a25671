import LabFiles

/// The result of a stress-test campaign against the engine. A stopped campaign can continue from
/// it.
package struct TortureReport: SavedResult, Sendable, Hashable {
    package static let kind = ResultKind.torture

    package var header: ResultHeader
    package var preset: String
    package var seed: UInt64
    package var parts: [TorturePartResult]
    /// The time limit for all parts together; nil if all planned attempts run.
    package var timeBudgetSeconds: Double?

    package init(preset: String, seed: UInt64, parts: [TorturePartResult] = []) {
        header = ResultHeader(.torture)
        self.preset = preset
        self.seed = seed
        self.parts = parts
    }

    /// Whether every planned attempt ran, or the time limit ended its part.
    package var isComplete: Bool {
        parts.allSatisfy { $0.completed == $0.planned || $0.endedByTime == true }
    }

    package var spentSeconds: Double { parts.reduce(0) { $0 + $1.seconds } }
}

/// The results of one part of the campaign so far.
package struct TorturePartResult: Codable, Sendable, Hashable {
    package var name: String
    /// The maximum number of attempts, and the number that ran: attempts 0 to `completed` - 1.
    package var planned: Int
    package var completed: Int
    /// The minimum number of attempts. They run even after the time limit. Nil without a time
    /// limit.
    package var floor: Int?
    package var endedByTime: Bool?
    package var seconds: Double
    /// Totals of all attempts by name, such as `acknowledged saves`.
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
    /// The number of the attempt. This number and the seed suffice to repeat it.
    package var attempt: Int
    package var what: String
    /// The input or the smallest scenario that reproduces the failure; nil if the number suffices.
    package var input: String?

    package init(attempt: Int, what: String, input: String? = nil) {
        self.attempt = attempt
        self.what = what
        self.input = input
    }
}
