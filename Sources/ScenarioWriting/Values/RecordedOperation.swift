/// A recorded action and the context that performed it.
package struct RecordedOperation: Sendable {
    /// The index of the context in the run's contexts.
    package let context: Int
    package let action: RecordedAction

    package init(_ context: Int, _ action: RecordedAction) {
        self.context = context
        self.action = action
    }
}

/// An action that a context can take.
package enum RecordedAction: Sendable {
    /// A fetch; only the first objects that it found are recorded.
    case fetch(RecordedQuery, found: [RecordedObject], count: Int)
    case count(RecordedQuery, count: Int)
    /// An object was requested by its id, and its row was read.
    case lookUp(RecordedObject)
    case read(RecordedObject, key: String, RecordedValue)
    /// A to-many relationship was read; only its first members are recorded.
    case readMembers(RecordedObject, key: String, [RecordedObject], count: Int)
    case insert(RecordedObject)
    /// An attribute or a to-one relationship was set.
    case set(RecordedObject, key: String, RecordedValue, old: RecordedValue?)
    case link(RecordedObject, key: String, RecordedObject)
    case unlink(RecordedObject, key: String, RecordedObject)
    case delete(RecordedObject)
    case refresh(RecordedObject, keepsChanges: Bool)
    case refreshAll, reset, rollback, undo, redo, processPending
    case beginSave(RecordedPolicy)
    /// A save has written rows; the previous and the new values of the first rows are recorded.
    case commit([RecordedRow])
    /// A policy resolved a conflict about an object.
    case conflict(RecordedObject, kind: String)
    /// A save has ended: with the code of its error, or with nil if it succeeded.
    case endSave(error: Int?)
    /// A save of another context was merged; nil if that context is unknown.
    case merge(from: Int?, isAutomatic: Bool)
    /// Ids of saved rows were merged into contexts; nil for contexts that are not part of the run.
    case mergeByIDs(into: [Int?])
    case batch(RecordedBatch)
    /// The store's history was read.
    case history
    case setting(RecordedSetting)
    /// The context was pinned to one state of the store: the state to which `to` is pinned, or the
    /// state at the context's next read if `to` is nil.
    case pin(to: Int?)
    case unpin
    case obtainIDs([RecordedObject])
    case detectConflicts(RecordedObject)
    /// A fault was fired.
    case fire(RecordedObject)
    /// An object was requested by its id, and its row was not read.
    case takeFault(RecordedObject)
    case order(RecordedObject, key: String, [RecordedObject])
    /// A results controller has fetched. The number identifies the controller.
    case watch(Int, RecordedQuery, sections: String?, found: [RecordedObject], count: Int)
    case shown(Int, isBySection: Bool)
    /// The program read a state of the context. The text names the state as in a `state` statement.
    case look(String)
    /// The program read a state of an object. The text names the state as in a `state` statement.
    case lookAt(RecordedObject, String)
    case changedKeys(RecordedObject)
    case committed(RecordedObject, keys: [String])
    case removeStore
    /// A block was enqueued on the queue of a context. The number identifies the block.
    case enqueue(Int, on: Int)
    /// The thread waits until a block has run on the queue of a context.
    case wait(Int, on: Int)
    case beginBlock(Int)
    case endBlock(Int)
    /// An operation that a scenario cannot express.
    case other(String)
}

/// A setting of a context that the program changed.
package enum RecordedSetting: Sendable, Equatable {
    case staleness(Double)
    case automerge(Bool)
    case deletesInaccessible(Bool)
}

/// The values of a row before and after a save that changed it.
package struct RecordedRow: Sendable {
    package let object: RecordedObject
    /// The known values before the save; empty for a new row.
    package let before: [String: RecordedValue]
    /// Nil for a deleted row.
    package let after: [String: RecordedValue]?

    package init(
        _ object: RecordedObject, before: [String: RecordedValue],
        after: [String: RecordedValue]?
    ) {
        self.object = object
        self.before = before
        self.after = after
    }
}

/// The parameters of a fetch.
package struct RecordedQuery: Sendable {
    package var entity: String
    package var predicate: RecordedPredicate?
    package var sort: [(key: String, isAscending: Bool)] = []
    package var limit = 0
    package var offset = 0
    package var batch = 0
    package var prefetch: [String] = []
    package var isRefreshing = false
    package var isRealised = false
    package var seesPending = true
    package var hasSubentities = true
    /// Parameters of the fetch that no statement can express.
    package var unsaid: [String] = []

    package init(_ entity: String, where predicate: RecordedPredicate? = nil) {
        self.entity = entity
        self.predicate = predicate
    }
}

/// A predicate, with its constants if its form is known.
package indirect enum RecordedPredicate: Sendable, Hashable {
    case all([RecordedPredicate])
    case any([RecordedPredicate])
    case not(RecordedPredicate)
    /// A comparison of a key with constants; the operator is written as in a predicate format, such
    /// as `==` or `IN`.
    case compare(String, String, [RecordedValue])
    /// Any other predicate, as text that contains the constants.
    case text(String)

    /// The keys and values that the predicate compares with `==`, if all objects that match must
    /// have these values.
    package var equalities: [String: RecordedValue] {
        switch self {
        case .compare(let key, "==", let values): values.first.map { [key: $0] } ?? [:]
        case .all(let parts):
            parts.map(\.equalities).reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        case .any, .not, .compare, .text: [:]
        }
    }
}

/// A batch request.
package enum RecordedBatch: Sendable {
    /// A batch insert. The count is larger than the number of rows if some rows were not recorded.
    case insert(String, [[String: RecordedValue]], count: Int)
    case update(RecordedQuery, [String: RecordedValue])
    case delete(RecordedQuery)
    /// A batch deletion of objects that the request names individually.
    case deleteObjects(String, [RecordedObject], count: Int)
}
