/// An action in a recorded run, and the context that performed it.
package struct RecordedOperation: Sendable {
    /// The index of the context in ``RecordedRun``.
    package let context: Int
    package let action: RecordedAction
    /// Whether another context has saved during the operation, so that the order of the two is
    /// unknown.
    package let isOverlapped: Bool

    package init(_ context: Int, _ action: RecordedAction, isOverlapped: Bool = false) {
        self.context = context
        self.action = action
        self.isOverlapped = isOverlapped
    }
}

/// An action of a context.
package enum RecordedAction: Sendable {
    /// A fetch. Only the first objects of the result are recorded.
    case fetch(RecordedQuery, found: [RecordedObject], count: Int)
    case count(RecordedQuery, count: Int)
    /// The program requested an object by its ID, and the row was read.
    case lookUp(RecordedObject)
    case read(RecordedObject, key: String, RecordedValue, from: RecordedSource = RecordedSource())
    /// The program read a to-many relationship. Only the first members are recorded.
    case readMembers(RecordedObject, key: String, [RecordedObject], count: Int)
    case insert(RecordedObject)
    /// The program set an attribute or a to-one relationship.
    case set(RecordedObject, key: String, RecordedValue, old: RecordedValue?)
    case link(RecordedObject, key: String, RecordedObject)
    case unlink(RecordedObject, key: String, RecordedObject)
    case delete(RecordedObject)
    case refresh(RecordedObject, keepsChanges: Bool)
    case refreshAll, reset, rollback, undo, redo, processPending
    case beginSave(RecordedPolicy)
    /// A save has written rows, or passed them to the parent. Only the first rows are recorded.
    case commit([RecordedRow], missing: Int = 0)
    /// A merge policy resolved a conflict about an object.
    case conflict(RecordedObject, kind: String)
    /// A save has ended with an error code, or with nil if it succeeded.
    case endSave(error: Int?, RecordedFailure? = nil)
    /// The context merged a save of another context; nil if that context is unknown. The objects
    /// are nil if they are too many.
    case merge(from: Int?, isAutomatic: Bool, RecordedKeys? = nil)
    /// The program merged the IDs of saved rows into contexts; nil for contexts that are not part
    /// of the run.
    case mergeByIDs(into: [Int?])
    case batch(RecordedBatch)
    /// The program read the store's history.
    case history
    case setting(RecordedSetting)
    /// The context was pinned to a state of the store: the state to which the context `to` is
    /// pinned, or the state at the next read if `to` is nil.
    case pin(to: Int?)
    case unpin
    case obtainIDs([RecordedObject])
    case detectConflicts(RecordedObject)
    case fire(RecordedObject)
    /// The program requested an object by its ID, and the row was not read.
    case takeFault(RecordedObject)
    case order(RecordedObject, key: String, [RecordedObject])
    /// A results controller performed a fetch. The number identifies the controller.
    case watch(Int, RecordedQuery, sections: String?, found: [RecordedObject], count: Int)
    case shown(Int, isBySection: Bool)
    /// The program read the state of the context. The text is the name in a `state` statement.
    case look(String)
    /// The program read the state of an object. The text is the name in a `state` statement.
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
    /// A number of reads, changes and new objects that were only counted.
    case skipped(Int)
}

package enum RecordedSetting: Sendable, Equatable {
    case staleness(Double)
    case automerge(Bool)
    case deletesInaccessible(Bool)
}

/// The origin of a value that a program read.
package struct RecordedSource: Sendable {
    /// The version of the object's row; zero without a row.
    package let version: Int
    /// Whether the context had set the value since its last save.
    package let isUnsaved: Bool

    package init(version: Int = 0, isUnsaved: Bool = false) {
        self.version = version
        self.isUnsaved = isUnsaved
    }
}

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
    /// The parameters of the fetch that a statement cannot express.
    package var unsaid: [String] = []

    package init(_ entity: String, where predicate: RecordedPredicate? = nil) {
        self.entity = entity
        self.predicate = predicate
    }
}

/// A predicate. If its form is known, its constants are recorded separately.
package indirect enum RecordedPredicate: Sendable, Hashable {
    case all([RecordedPredicate])
    case any([RecordedPredicate])
    case not(RecordedPredicate)
    /// A comparison of a key with constants; the operator is written as in a predicate format, such
    /// as `==` or `IN`.
    case compare(String, String, [RecordedValue])
    /// Any other predicate, as text that contains the constants.
    case text(String)

    /// The keys and values that the predicate compares with `==`. Every matching object has these
    /// values.
    package var equalities: [String: RecordedValue] {
        switch self {
        case .compare(let key, "==", let values): values.first.map { [key: $0] } ?? [:]
        case .all(let parts):
            parts.map(\.equalities).reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        case .any, .not, .compare, .text: [:]
        }
    }
}

package enum RecordedBatch: Sendable {
    /// A batch insert. The count is larger than the number of rows if only the first rows were
    /// recorded.
    case insert(String, [[String: RecordedValue]], count: Int)
    case update(RecordedQuery, [String: RecordedValue])
    case delete(RecordedQuery)
    /// A batch deletion of objects that the request lists.
    case deleteObjects(String, [RecordedObject], count: Int)
}
