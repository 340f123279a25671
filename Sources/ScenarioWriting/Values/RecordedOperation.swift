/// One thing that a context did.
package struct RecordedOperation: Sendable {
    /// The position of the context.
    package let context: Int
    package let action: RecordedAction

    package init(_ context: Int, _ action: RecordedAction) {
        self.context = context
        self.action = action
    }
}

/// What a context can do.
package enum RecordedAction: Sendable {
    /// A fetch, with the first objects that it found.
    case fetch(RecordedQuery, found: [RecordedObject], count: Int)
    case count(RecordedQuery, count: Int)
    /// The object of an id was asked for, and its row read.
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
    /// A save has written, with the first rows as they were and as they are now.
    case commit([RecordedRow])
    /// A policy had to decide about an object.
    case conflict(RecordedObject, kind: String)
    /// A save has ended: its error's number, nil where there was none.
    case endSave(error: Int?)
    /// What another context saved was merged; nil where it is not known which.
    case merge(from: Int?, isAutomatic: Bool)
    /// Ids of saved rows were merged into contexts; nil for those that are no part of the run.
    case mergeByIDs(into: [Int?])
    case batch(RecordedBatch)
    /// The store's history was read.
    case history
    case setting(RecordedSetting)
    /// The context reads one state of the store from now on: that of another context, or with nil
    /// the one that its next read finds.
    case pin(to: Int?)
    case unpin
    case obtainIDs([RecordedObject])
    case detectConflicts(RecordedObject)
    /// A fault was fired.
    case fire(RecordedObject)
    /// The object of an id was asked for, and not its row.
    case takeFault(RecordedObject)
    case order(RecordedObject, key: String, [RecordedObject])
    /// A results controller has fetched; the number tells controllers apart.
    case watch(Int, RecordedQuery, sections: String?, found: [RecordedObject], count: Int)
    case shown(Int, isBySection: Bool)
    /// The program looked at a state of the context, by the word that `state` has for it.
    case look(String)
    /// The program looked at a state of an object, by the word that `state` has for it.
    case lookAt(RecordedObject, String)
    case changedKeys(RecordedObject)
    case committed(RecordedObject, keys: [String])
    case removeStore
    /// A block was put on a context's queue; the number tells blocks apart.
    case enqueue(Int, on: Int)
    /// The thread waits until a block has run on a context's queue.
    case wait(Int, on: Int)
    case beginBlock(Int)
    case endBlock(Int)
    /// Something that a scenario has no words for.
    case other(String)
}

/// A setting of a context, as a step changes it.
package enum RecordedSetting: Sendable, Equatable {
    case staleness(Double)
    case automerge(Bool)
    case deletesInaccessible(Bool)
}

/// The values of a row around the save that changed it.
package struct RecordedRow: Sendable {
    package let object: RecordedObject
    /// What was known of it before; empty for a new row.
    package let before: [String: RecordedValue]
    /// Nil for a row that is gone.
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

/// What a fetch asked for.
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
    /// What else it asked for, which no statement has words for.
    package var unsaid: [String] = []

    package init(_ entity: String, where predicate: RecordedPredicate? = nil) {
        self.entity = entity
        self.predicate = predicate
    }
}

/// A condition, as far as its constants can be told from the rest.
package indirect enum RecordedPredicate: Sendable, Hashable {
    case all([RecordedPredicate])
    case any([RecordedPredicate])
    case not(RecordedPredicate)
    /// `key operator constant`, with the operator as the format has it, such as `==` or `IN`.
    case compare(String, String, [RecordedValue])
    /// Anything else, printed with its constants.
    case text(String)

    /// What every row has that meets it, where it says so.
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
    /// New rows; the count is larger where not all were kept.
    case insert(String, [[String: RecordedValue]], count: Int)
    case update(RecordedQuery, [String: RecordedValue])
    case delete(RecordedQuery)
    /// Rows that were named one by one.
    case deleteObjects(String, [RecordedObject], count: Int)
}
