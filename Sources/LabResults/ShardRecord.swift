/// The data of a shard that `merge` needs in addition to the results: the ranks of its schedules in
/// the order of one process. The runner writes and reads it.
package struct ShardRecord: Codable, Sendable, Hashable {
    /// A schedule. Its rank has the numbers of its walk, of the part of the walk, and of the
    /// schedule in that part.
    package struct Schedule: Codable, Sendable, Hashable {
        package var rank: [Int]
        /// The lanes in the order in which they ran.
        package var lanes: [Int]

        package init(rank: [Int], lanes: [Int]) {
            self.rank = rank
            self.lanes = lanes
        }
    }

    package struct Outcome: Codable, Sendable, Hashable {
        package var count: Int
        /// The names of the findings of all schedules with this outcome.
        package var findings: [String]
        package var first: Schedule
        /// The first schedule that also has a finding.
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

    /// A thread that held one queue or lock and wanted another.
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

    /// Eight hexadecimal digits of the file's hash.
    package var hash: String
    /// Whether the command restricted the schedules, apart from the shard.
    package var asksForLess: Bool
    /// Whether every shard has run the same schedules, because the file lists them.
    package var isUndivided: Bool
    package var explored: Int
    /// The number of schedules that the explored ones represent; nil if unknown.
    package var represented: Int?
    /// The reason for the walk's end: `whole`, `limit`, `time`, or a number of preemptions.
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
