/// The operations of contexts in their order. A scenario file is built from a run.
///
/// The recorder creates a run from the work of real threads. The lab creates a run from a schedule
/// that fails.
package struct RecordedRun: Sendable {
    /// The name of the scenario.
    package var name: String
    /// The reason for writing the run, in a sentence.
    package var reason: String
    package var entities: [RecordedEntity]
    package var contexts: [RecordedContext]
    package var operations: [RecordedOperation]
    /// The number of operations at the beginning of the run that were discarded.
    package var forgotten: Int
    /// The kinds of calls that were made without a context, such as on a coordinator, one line for
    /// each kind.
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
    /// The index of the parent context; nil for a context without a parent.
    package var parent: Int?
    /// The number of the context's coordinator, counted from 0.
    package var coordinator: Int
    package var policy: RecordedPolicy
    /// Whether the context automatically merges the saves of other contexts.
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
