/// What contexts did, in the order in which it came about: what a scenario file is made of.
///
/// Whoever sees a program's contexts at work makes one: the recorder of real threads, and the lab
/// of a schedule that fails.
package struct RecordedRun: Sendable {
    /// Names the scenario.
    package var name: String
    /// A sentence: why the run was written down.
    package var reason: String
    package var entities: [RecordedEntity]
    package var contexts: [RecordedContext]
    package var operations: [RecordedOperation]
    /// How many operations were not kept, from the first that was on.
    package var forgotten: Int
    /// What was done beside the contexts, such as with a coordinator, a line for each kind.
    package var beside: [String] = []
    package var store = RecordedStore.sqlite

    package init(
        name: String, reason: String, entities: [RecordedEntity], contexts: [RecordedContext],
        operations: [RecordedOperation], forgotten: Int = 0
    ) {
        self.name = name
        self.reason = reason
        self.entities = entities
        self.contexts = contexts
        self.operations = operations
        self.forgotten = forgotten
    }
}

/// The kinds of stores that a scenario can have.
package enum RecordedStore: String, Sendable {
    case sqlite
    case memory = "in-memory"
    case xml, binary
}

/// A context of a run.
package struct RecordedContext: Sendable {
    /// As the program calls it; empty where it does not.
    package var name: String
    package var isMain: Bool
    /// The position of the parent context; nil for a context on a coordinator.
    package var parent: Int?
    /// Tells coordinators apart; 0 for the first.
    package var coordinator: Int
    package var policy: RecordedPolicy
    /// Whether it merges what others save by itself.
    package var mergesByItself: Bool
    package var hasUndo: Bool

    package init(
        _ name: String = "", isMain: Bool = false, parent: Int? = nil, coordinator: Int = 0,
        policy: RecordedPolicy = .error, mergesByItself: Bool = false, hasUndo: Bool = false
    ) {
        self.name = name
        self.isMain = isMain
        self.parent = parent
        self.coordinator = coordinator
        self.policy = policy
        self.mergesByItself = mergesByItself
        self.hasUndo = hasUndo
    }
}

/// A merge policy, as far as a scenario can name it.
package enum RecordedPolicy: String, Sendable {
    case error, storeTrump, objectTrump, overwrite, rollback
}
