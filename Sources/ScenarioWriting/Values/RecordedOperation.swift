/// An action of a context.
package struct RecordedOperation: Sendable {
    /// The position of the context.
    package let context: Int
    package let action: RecordedAction

    package init(_ context: Int, _ action: RecordedAction) {
        self.context = context
        self.action = action
    }
}

/// An action that a context can take.
package enum RecordedAction: Sendable {
    /// A fetch, with the first objects that it found.
    case fetch(RecordedQuery, found: [RecordedObject], count: Int)
    case count(RecordedQuery, count: Int)
    /// An object was requested by its id, and its row was read.
    case lookUp(RecordedObject)
    case read(RecordedObject, key: String, RecordedValue)
    /// A to-many relationship was read, with the first of its members.
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
    /// A save has written rows; their previous and current values, for the first rows.
    case commit([RecordedRow])
    /// A policy resolved a conflict about an object.
    case conflict(RecordedObject, kind: String)
    /// A save has ended, with its error's number; nil for success.
    case endSave(error: Int?)
    /// Another context's save was merged; nil if the context is unknown.
    case merge(from: Int?, isAutomatic: Bool)
    /// Ids of saved rows were merged into contexts; nil for contexts that are not part of the run.
    case mergeByIDs(into: [Int?])
    case batch(RecordedBatch)
    /// The store's history was read.
    case history
    case setting(RecordedSetting)
    /// The context now reads one state of the store: the state of the other context; if that is
    /// nil, the state at the context's next read.
    case pin(to: Int?)
    case unpin
    case obtainIDs([RecordedObject])
    case detectConflicts(RecordedObject)
    /// A fault was fired.
    case fire(RecordedObject)
    /// An object was requested by its id, without its row.
    case takeFault(RecordedObject)
    case order(RecordedObject, key: String, [RecordedObject])
    /// A results controller has fetched; the number identifies the controller.
    case watch(Int, RecordedQuery, sections: String?, found: [RecordedObject], count: Int)
    case shown(Int, isBySection: Bool)
    /// The program read a state of the context; the text is the state's word in a `state`
    /// statement.
    case look(String)
    /// The program read a state of an object; the text is the state's word in a `state` statement.
    case lookAt(RecordedObject, String)
    case changedKeys(RecordedObject)
    case committed(RecordedObject, keys: [String])
    case removeStore
    /// A block was enqueued on a context's queue; the number identifies the block.
    case enqueue(Int, on: Int)
    /// The thread waits until a block has run on a context's queue.
    case wait(Int, on: Int)
    case beginBlock(Int)
    case endBlock(Int)
    /// An operation that a scenario cannot express.
    case other(String)
}

/// A setting of a context that a step changes.
package enum RecordedSetting: Sendable, Equatable {
    case staleness(Double)
    case automerge(Bool)
    case deletesInaccessible(Bool)
}

/// The values of a row around the save that changed it.
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
    /// Parameters that no statement can express.
    package var unsaid: [String] = []

    package init(_ entity: String, where predicate: RecordedPredicate? = nil) {
        self.entity = entity
        self.predicate = predicate
    }
}

/// A condition, with separate constants if its form is known.
package indirect enum RecordedPredicate: Sendable, Hashable {
    case all([RecordedPredicate])
    case any([RecordedPredicate])
    case not(RecordedPredicate)
    /// `key operator constant`, with the operator in the form of a format, such as `==` or `IN`.
    case compare(String, String, [RecordedValue])
    /// Any other predicate, printed with its constants.
    case text(String)

    /// The values that the condition requires by equality.
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
    /// New rows; the count is larger if some were not recorded.
    case insert(String, [[String: RecordedValue]], count: Int)
    case update(RecordedQuery, [String: RecordedValue])
    case delete(RecordedQuery)
    /// Rows that were named individually.
    case deleteObjects(String, [RecordedObject], count: Int)
}
