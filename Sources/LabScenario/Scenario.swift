/// A scenario: contexts, rows, sessions of steps, and what may be observed in the end.
///
/// A value of this type comes out of a file (``ScenarioReader``) or is written in Swift inside a
/// test; both run the same way. It has been checked against its model if the model is inline.
package struct Scenario: Sendable {
    package var name: String
    package var about: String
    package var kind: String?
    package var bug: String?
    package var refs: [Located<String>]
    package var notes: String?
    /// The path of the file as messages show it.
    package var file: String
    /// Eight hexadecimal digits that change when the file changes.
    package var hash: String
    /// The name of the cure that this is, or nil for the scenario itself.
    package var cure: String?
    package var model: ModelSource
    package var store: StoreSpec
    package var contexts: [ContextSpec]
    package var matrix: [MatrixAxis]
    package var setup: [Step]
    package var sessions: [SessionSpec]
    package var blocks: [BlockSpec]
    package var after: [AfterSpec]
    package var schedules: [Located<[String]>]
    package var explore: ExploreSpec
    package var observations: [ObservationSpec]
    /// The observations that stand for the scenario in a matrix.
    package var headline: [Located<String>]
    package var outcomes: [OutcomeSpec]
    /// Each cure as a whole scenario.
    package var cures: [Scenario]

    package init(
        name: String, about: String, kind: String? = nil, bug: String? = nil,
        refs: [Located<String>] = [], notes: String? = nil, file: String = "",
        hash: String = "00000000", cure: String? = nil, model: ModelSource,
        store: StoreSpec = StoreSpec(), contexts: [ContextSpec], matrix: [MatrixAxis] = [],
        setup: [Step] = [], sessions: [SessionSpec], blocks: [BlockSpec] = [],
        after: [AfterSpec] = [], schedules: [Located<[String]>] = [],
        explore: ExploreSpec = ExploreSpec(), observations: [ObservationSpec],
        headline: [Located<String>] = [], outcomes: [OutcomeSpec], cures: [Scenario] = []
    ) {
        self.name = name
        self.about = about
        self.kind = kind
        self.bug = bug
        self.refs = refs
        self.notes = notes
        self.file = file
        self.hash = hash
        self.cure = cure
        self.model = model
        self.store = store
        self.contexts = contexts
        self.matrix = matrix
        self.setup = setup
        self.sessions = sessions
        self.blocks = blocks
        self.after = after
        self.schedules = schedules
        self.explore = explore
        self.observations = observations
        self.headline = headline.isEmpty ? observations.prefix(1).map(\.name) : headline
        self.outcomes = outcomes
        self.cures = cures
    }

    /// The name with the cure's name behind it, as tokens write it.
    package var fullName: String { cure.map { "\(name)+\($0)" } ?? name }

    package func context(named name: String) -> ContextSpec? {
        contexts.first { $0.name.value == name }
    }

    /// Every combination of the matrix parameters, the last one changing fastest.
    package var cells: [MatrixCell] {
        var cells = [MatrixCell(values: [])]
        for axis in matrix {
            cells = cells.flatMap { cell in
                axis.values.map { value in
                    MatrixCell(
                        values: cell.values + [.init(name: axis.name.value, value: value.value)])
                }
            }
        }
        return cells
    }
}

/// Where the model comes from.
package enum ModelSource: Sendable {
    case inline(ModelShape)
    /// A path beside the scenario file or behind `fixtures:`.
    case file(path: Located<String>, version: Located<String>?)
}

/// A value that may be a matrix parameter.
package enum Setting<Value: Sendable>: Sendable {
    case value(Value)
    case parameter(Located<String>)
}

/// The store of a scenario.
package struct StoreSpec: Sendable {
    package enum Kind: String, Sendable {
        case image = "sqlite-image"
        case file = "sqlite"
    }

    package enum Journal: String, Sendable { case wal, delete }

    package var kind: Setting<Kind>
    package var journal: Setting<Journal>
    package var copyOf: Located<String>?
    package var position: SourcePosition

    package init(
        kind: Setting<Kind> = .value(.image), journal: Setting<Journal> = .value(.wal),
        copyOf: Located<String>? = nil, position: SourcePosition = .start
    ) {
        self.kind = kind
        self.journal = journal
        self.copyOf = copyOf
        self.position = position
    }
}

/// One managed object context.
package struct ContextSpec: Sendable {
    package enum Queue: String, Sendable {
        case main
        case `private`
    }

    package let name: Located<String>
    package var queue: Setting<Queue>
    /// The parent context's name; nil on a coordinator.
    package var parent: Setting<Located<String>>?
    package var coordinator: Located<String>?
    package var policy: Setting<Located<PolicyName>>
    package var automerge: Setting<Bool>
    package var mergesFrom: [Located<String>]

    package init(
        name: Located<String>, queue: Setting<Queue> = .value(.private),
        parent: Setting<Located<String>>? = nil, coordinator: Located<String>? = nil,
        policy: Setting<Located<PolicyName>> = .value(Located(PolicyName("error"))),
        automerge: Setting<Bool> = .value(false), mergesFrom: [Located<String>] = []
    ) {
        self.name = name
        self.queue = queue
        self.parent = parent
        self.coordinator = coordinator
        self.policy = policy
        self.automerge = automerge
        self.mergesFrom = mergesFrom
    }
}

/// One parameter and its values.
package struct MatrixAxis: Sendable {
    package let name: Located<String>
    package var values: [Located<Literal>]

    package init(name: Located<String>, values: [Located<Literal>]) {
        self.name = name
        self.values = values
    }
}

/// One value for each parameter.
package struct MatrixCell: Sendable, Hashable, CustomStringConvertible {
    package struct Value: Sendable, Hashable {
        package let name: String
        package let value: Literal

        package init(name: String, value: Literal) {
            self.name = name
            self.value = value
        }

        /// The value without quotes, as labels and settings want it.
        package var text: String {
            if case .text(let text) = value { return text }
            return value.description
        }
    }

    package let values: [Value]

    package init(values: [Value]) {
        self.values = values
    }

    package subscript(name: String) -> Value? { values.first { $0.name == name } }

    /// `policy=error,journal=wal`, or `-` without parameters.
    package var description: String {
        values.isEmpty ? "-" : values.map { "\($0.name)=\($0.text)" }.joined(separator: ",")
    }
}

/// A list of steps on one context.
package struct SessionSpec: Sendable {
    package let name: Located<String>
    package let context: Located<String>
    package var steps: [Step]

    package init(name: Located<String>, context: Located<String>, steps: [Step]) {
        self.name = name
        self.context = context
        self.steps = steps
    }
}

/// Work that a step puts on a queue.
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

/// `STEP requires STEP`.
package struct AfterSpec: Sendable {
    package let step: Located<String>
    package let requires: Located<String>

    package init(step: Located<String>, requires: Located<String>) {
        self.step = step
        self.requires = requires
    }
}

/// How far exploring goes.
package struct ExploreSpec: Sendable {
    package var limit: Int
    package var seed: UInt64

    package static let defaultLimit = 20_000

    package init(limit: Int = defaultLimit, seed: UInt64 = 1) {
        self.limit = limit
        self.seed = seed
    }
}

/// Something that is looked at in the end.
package struct ObservationSpec: Sendable {
    package enum Source: Sendable {
        /// The number of rows that a fresh context counts.
        case count(Query)
        /// A property of the rows that a fresh context fetches.
        case read(Query, keys: [Located<String>])
        /// The first column of a statement, as SQLite answers it.
        case sql(String)
        /// `ok`, `skipped`, or the number of the error that ended a step.
        case status(step: Located<String>)
        /// The value that a step bound to a name.
        case value(name: Located<String>)
    }

    package let name: Located<String>
    package let source: Source
    package let position: SourcePosition

    package init(name: Located<String>, source: Source, position: SourcePosition = .start) {
        self.name = name
        self.source = source
        self.position = position
    }
}

/// A grade for some of the observable outcomes.
package struct OutcomeSpec: Sendable {
    package enum Grade: String, Sendable, CaseIterable {
        case acceptable, interesting, forbidden, defect
    }

    package enum Pattern: Sendable {
        /// Everything that running one session after another gives.
        case serial
        /// Named observations with the values they must have; others may have any.
        case values([NamedPattern])
    }

    package let grade: Grade
    package let pattern: Pattern
    /// Parameters with the values for which this counts.
    package let when: [WhenSpec]
    package let finding: String?
    package let because: String
    package let position: SourcePosition

    package init(
        grade: Grade, pattern: Pattern, when: [WhenSpec] = [], finding: String? = nil,
        because: String, position: SourcePosition = .start
    ) {
        self.grade = grade
        self.pattern = pattern
        self.when = when
        self.finding = finding
        self.because = because
        self.position = position
    }

    /// Whether this outcome counts in a cell.
    package func counts(in cell: MatrixCell) -> Bool {
        when.allSatisfy { condition in
            guard let value = cell[condition.parameter.value]?.value else { return false }
            return condition.values.contains { $0.value == value }
        }
    }
}

/// `PARAMETER: [VALUE, …]` of an outcome.
package struct WhenSpec: Sendable {
    package let parameter: Located<String>
    package let values: [Located<Literal>]

    package init(parameter: Located<String>, values: [Located<Literal>]) {
        self.parameter = parameter
        self.values = values
    }
}

/// One observation of a pattern.
package struct NamedPattern: Sendable {
    package let observation: Located<String>
    package let pattern: ValuePattern

    package init(observation: Located<String>, pattern: ValuePattern) {
        self.observation = observation
        self.pattern = pattern
    }
}

/// What an observed value must look like.
package indirect enum ValuePattern: Sendable, Hashable {
    case any
    case value(Literal)
    case list([ValuePattern])
    case oneOf([ValuePattern])
    case not(ValuePattern)
}
