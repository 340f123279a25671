/// The result of an exploration of Swift code, for report pages.
package struct CodeResult: Sendable, Hashable {
    /// The result of an exploration after one change of the code or its settings.
    package struct Cure: Sendable, Hashable {
        package var name: String
        package var result: String
        package var helps: Bool

        package init(name: String, result: String, helps: Bool) {
            self.name = name
            self.result = result
            self.helps = helps
        }
    }

    /// A schedule that fails.
    package struct Witness: Sendable, Hashable {
        package var reasons: [String]
        package var findings: [Finding]
        package var token: String
        /// The command line that runs only this schedule.
        package var command: String
        package var story: [String]
        package var timeline: Timeline?

        package init(
            reasons: [String], findings: [Finding], token: String, command: String,
            story: [String], timeline: Timeline?
        ) {
            self.reasons = reasons
            self.findings = findings
            self.token = token
            self.command = command
            self.story = story
            self.timeline = timeline
        }
    }

    package var name: String
    /// The name of the test that ran the exploration; empty if unknown.
    package var test: String
    package var schedules: ScheduleCount
    /// The number of schedules for each set of observed values.
    package var outcomes: [String: Int]
    package var witness: Witness?
    /// The merge policies of the contexts that saved.
    package var policies: [String]
    package var cures: [Cure]

    package init(
        name: String, test: String = "", schedules: ScheduleCount, outcomes: [String: Int] = [:],
        witness: Witness? = nil, policies: [String] = [], cures: [Cure] = []
    ) {
        self.name = name
        self.test = test
        self.schedules = schedules
        self.outcomes = outcomes
        self.witness = witness
        self.policies = policies
        self.cures = cures
    }
}
