/// A scenario: contexts, rows, sessions of steps, and the possible outcomes.
///
/// A scenario comes from a file (``ScenarioReader``), or is written in Swift inside a test. Both
/// kinds run in the same manner. A scenario with an inline model has been checked against the
/// model.
public struct Scenario: Sendable {
    package var name: String
    package var about: String
    package var kind: String?
    package var bug: String?
    package var refs: [Located<String>]
    package var notes: String?
    /// The path of the file for messages.
    package var file: String
    /// Eight hexadecimal digits of a hash of the file's contents.
    package var hash: String
    /// The name of the cure, or nil for the scenario itself.
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
    package var headline: [Located<String>]
    package var outcomes: [OutcomeSpec]
    /// The cures, each as a complete scenario.
    package var cures: [Scenario]
    /// The reason why the scenario cannot run yet.
    package var pending: Located<String>?
    package var mode = ScheduleMode.inline
    /// A named set of contexts, which the file can extend.
    package var topology: Setting<Located<Topology>>?
    /// Groups of steps of one session that run without interruption.
    package var atomic: [Located<[String]>] = []
    /// A reported misbehaviour of Apple's framework that the engine imitates in this scenario.
    package var quirk: Setting<Quirk> = .value(.none)
    /// Findings that no schedule may have.
    package var invariants: [Located<Invariant>] = []
    /// The cure's position in the file; nil for the scenario itself.
    var place: CurePlace?
    /// Named schedules whose transcripts are kept.
    package var pinned: [PinnedSpec] = []

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

    /// The name, followed by the cure's name, as in tokens.
    package var fullName: String { cure.map { "\(name)+\($0)" } ?? name }

    package func context(named name: String) -> ContextSpec? {
        contexts.first { $0.name.value == name }
    }

    /// The contexts of a cell: those of its topology, with the file's settings.
    package func contexts(in cell: MatrixCell) -> [ContextSpec] {
        guard case .parameter(let name) = topology,
            let chosen = cell[name.value].flatMap({ Topology(rawValue: $0.text) })
        else { return contexts }
        return chosen.contexts(under: contexts, of: self)
    }

    /// Every combination of values of the matrix parameters; the last parameter changes fastest.
    package var cells: MatrixCells { MatrixCells(matrix) }
}

/// How the sessions of a scenario run at the same time.
package enum ScheduleMode: String, Sendable, CaseIterable {
    /// Steps run to their end on one thread, in every order.
    case inline
    /// Each session and each queue is a thread. One thread runs at a time, and the lab can switch
    /// threads at every wait.
    case baton
    /// Each session is a real thread, and each context has a real queue. The system schedules them.
    case threads
}

extension Scenario {
    /// Whether a step needs a store that tracks its history.
    package var usesHistory: Bool {
        let steps = sessions.flatMap(\.steps) + blocks.map(\.step)
        return steps.flatMap(\.statements).contains(where: \.action.usesHistory)
    }
}
