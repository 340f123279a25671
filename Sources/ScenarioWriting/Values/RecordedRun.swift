/// The operations of contexts in their order, which a scenario file is built from.
///
/// The recorder builds one from the work on real threads, and the lab from a schedule that fails.
package struct RecordedRun: Sendable {
    /// The name of the scenario.
    package var name: String
    /// The reason for writing the run, in a sentence.
    package var reason: String
    package var entities: [RecordedEntity]
    package var contexts: [RecordedContext]
    package var operations: [RecordedOperation]
    /// The number of operations that were not recorded, counted from the first.
    package var forgotten: Int
    /// Calls outside the contexts, such as on a coordinator, one line for each kind.
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
    /// The program's name for the context; empty if it has none.
    package var name: String
    package var isMain: Bool
    /// The position of the parent context; nil for a context on a coordinator.
    package var parent: Int?
    /// The number of its coordinator; 0 for the first.
    package var coordinator: Int
    package var policy: RecordedPolicy
    /// Whether the context merges other contexts' saves automatically.
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

/// A merge policy that a scenario can name.
package enum RecordedPolicy: String, Sendable {
    case error, storeTrump, objectTrump, overwrite, rollback
}
