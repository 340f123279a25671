/// The result of attacks on the engine.
///
/// The campaign fills it in, and continues from it after a stop.
package struct TortureReport: Codable, Sendable, Hashable {
    package var header: ResultHeader
    package var preset: String
    package var seed: UInt64
    package var parts: [TorturePartResult]
    /// The time for all parts together; nil if numbers of attempts were the limit.
    package var timeBudgetSeconds: Double?

    package init(preset: String, seed: UInt64, parts: [TorturePartResult] = []) {
        header = ResultHeader(.torture)
        self.preset = preset
        self.seed = seed
        self.parts = parts
    }

    /// Whether every planned attempt ran, or the time was used up.
    package var isComplete: Bool {
        parts.allSatisfy { $0.completed == $0.planned || $0.endedByTime == true }
    }

    /// Seconds of all parts together.
    package var spentSeconds: Double { parts.reduce(0) { $0 + $1.seconds } }
}

/// The work of one part of the attacks so far.
package struct TorturePartResult: Codable, Sendable, Hashable {
    /// The part's name, such as `kills`.
    package var name: String
    /// The maximum number of attempts, and the number that ran: attempts 0 to `completed` - 1.
    package var planned: Int
    package var completed: Int
    /// The minimum number of attempts regardless of time; nil if time is not limited.
    package var floor: Int?
    /// Whether the part's share of the time was used up before all attempts ran.
    package var endedByTime: Bool?
    package var seconds: Double
    /// Sums over all attempts, by name, such as `acknowledged saves`.
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

/// One attempt that went wrong.
package struct TortureFailure: Codable, Sendable, Hashable {
    /// The number of the attempt; with the seed it is enough to run it again.
    package var attempt: Int
    /// The fault, in one line.
    package var what: String
    /// The input or the smallest scenario that shows the failure; nil if the attempt's number is
    /// enough to repeat it.
    package var input: String?

    package init(attempt: Int, what: String, input: String? = nil) {
        self.attempt = attempt
        self.what = what
        self.input = input
    }
}
