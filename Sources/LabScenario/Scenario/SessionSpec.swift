/// A list of steps on one context.
public struct SessionSpec: Sendable {
    package let name: Located<String>
    package let context: Located<String>
    package var steps: [Step]

    package init(name: Located<String>, context: Located<String>, steps: [Step]) {
        self.name = name
        self.context = context
        self.steps = steps
    }
}

/// A block of statements that a step enqueues on a queue.
package struct BlockSpec: Sendable {
    package let name: Located<String>
    package let context: Located<String>
    package let step: Step

    package init(name: Located<String>, context: Located<String>, step: Step) {
        self.name = name
        self.context = context
        self.step = step
    }
}

/// An order of steps: `STEP requires STEP`, or `STEP requires ~DELIVERY`.
package struct AfterSpec: Sendable {
    package static let grammar = "STEP requires STEP or STEP requires ~DELIVERY"

    package let step: Located<String>
    package let requires: Requirement

    package init(step: Located<String>, requires: Requirement) {
        self.step = step
        self.requires = requires
    }
}

/// The limits of the exploration.
package struct ExploreSpec: Sendable {
    package var position = SourcePosition.start
    package var limit: Int
    package var seed: UInt64
    /// Whether the file states the limit. If an exploration ends at a limit that the file states,
    /// the scenario can pass.
    package var statesLimit = false
    /// The maximum number of preemptions; nil for no limit. If an exploration covers all schedules
    /// within this maximum, the scenario can pass.
    package var preemptions: Int?

    package static let defaultLimit = 100_000
    /// The default number of runs on real threads.
    package static let defaultRuns = 200

    package init(limit: Int = defaultLimit, seed: UInt64 = 1) {
        self.limit = limit
        self.seed = seed
        statesLimit = limit != Self.defaultLimit
    }
}
