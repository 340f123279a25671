/// The operations of contexts, in order, from which a scenario file is written.
///
/// The recorder creates a run from the operations of real threads. The lab creates a run from a
/// schedule that failed.
package struct RecordedRun: Sendable {
    package var name: String
    package var reason: String
    package var entities: [RecordedEntity]
    package var contexts: [RecordedContext]
    package var operations: [RecordedOperation]
    /// The number of discarded operations at the beginning of the run.
    package var forgotten: Int
    /// The kinds of calls that belonged to no context, such as calls on a coordinator. Each kind
    /// has one line.
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

/// The store types that scenarios support.
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
    /// The number of the context's coordinator, from 0.
    package var coordinator: Int
    package var policy: RecordedPolicy
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

/// The merge policies that scenarios support.
package enum RecordedPolicy: String, Sendable {
    case error, storeTrump, objectTrump, overwrite, rollback
}
