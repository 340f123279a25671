/// What the results of a shard do not say and `merge` needs: where in the order of one process its
/// schedules stand. The runner makes it and reads it again.
package struct ShardRecord: Codable, Sendable, Hashable {
    /// A schedule: the numbers of its walk, of the part of the walk, and of the schedule in it.
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
        /// The names of findings that some schedule with this outcome had.
        package var findings: [String]
        package var first: Schedule
        /// The first schedule that has a finding, too.
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

    /// A thread that held one queue or lock when it wanted another.
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

    /// Eight hexadecimal digits of the file that ran.
    package var hash: String
    /// Whether the command asked for less than all schedules, beside the shard.
    package var asksForLess: Bool
    /// Every shard has run the same schedules: those that the file pins.
    package var isUndivided: Bool
    package var explored: Int
    /// How many schedules those stand for; nil where that is not known.
    package var represented: Int?
    /// What ended the walk: `whole`, `limit`, `time`, or a number of preemptions.
    package var end: String
    package var outcomes: [Outcome] = []
    package var findings: [Finding] = []
    package var locks: [Lock] = []
    /// A schedule that ran twice with two histories.
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
