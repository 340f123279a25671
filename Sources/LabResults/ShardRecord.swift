/// The data of a shard that `merge` needs in addition to the results. They are the ranks of its
/// schedules: their order in an exploration by one process.
package struct ShardRecord: Codable, Sendable, Hashable {
    /// A schedule with its rank: the numbers of the exploration, of its part, and of the schedule
    /// in this part.
    package struct Schedule: Codable, Sendable, Hashable {
        package var rank: [Int]
        /// The numbers of the sessions and queues that did the steps, in order.
        package var lanes: [Int]

        package init(rank: [Int], lanes: [Int]) {
            self.rank = rank
            self.lanes = lanes
        }
    }

    package struct Outcome: Codable, Sendable, Hashable {
        package var count: Int
        package var findings: [String]
        package var first: Schedule
        /// The first schedule with this outcome and a finding.
        package var telling: Schedule?

        package init(count: Int, findings: [String], first: Schedule, telling: Schedule?) {
            self.count = count
            self.findings = findings
            self.first = first
            self.telling = telling
        }
    }

    package struct Finding: Codable, Sendable, Hashable {
        package var name: String
        package var step: String
        package var first: Schedule

        package init(name: String, step: String, first: Schedule) {
            self.name = name
            self.step = step
            self.first = first
        }
    }

    /// A thread that requested a queue or lock while it held another.
    package struct Lock: Codable, Sendable, Hashable {
        package var held: String
        package var wanted: String
        package var thread: String
        package var stack: [String]
        package var guards: [String]
        package var first: Schedule

        package init(
            held: String, wanted: String, thread: String, stack: [String], guards: [String],
            first: Schedule
        ) {
            self.held = held
            self.wanted = wanted
            self.thread = thread
            self.stack = stack
            self.guards = guards
            self.first = first
        }
    }

    /// The hash of the scenario file: eight hexadecimal digits.
    package var hash: String
    /// Whether an option other than the shard restricted the schedules.
    package var asksForLess: Bool
    /// Whether every shard ran the same schedules, because the file lists them.
    package var isUndivided: Bool
    package var explored: Int
    /// The number of schedules that the explored ones represent; nil if unknown.
    package var represented: Int?
    /// The reason for the end of the exploration: `whole` (no schedule was left), `limit`, `time`,
    /// or the bound on preemptions.
    package var end: String
    package var outcomes: [Outcome] = []
    package var findings: [Finding] = []
    package var locks: [Lock] = []
    /// A schedule whose two runs had different histories.
    package var unrepeatable: Schedule?

    package init(
        hash: String, asksForLess: Bool, isUndivided: Bool, explored: Int, represented: Int?,
        end: String
    ) {
        self.hash = hash
        self.asksForLess = asksForLess
        self.isUndivided = isUndivided
        self.explored = explored
        self.represented = represented
        self.end = end
    }
}
