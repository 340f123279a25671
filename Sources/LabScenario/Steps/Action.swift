/// The actions of statements, in groups. The verb table in `Verb.swift` has the grammar and the
/// meaning of each verb. Code that handles a group lists all of its cases, so the compiler finds
/// the code that must handle a new case.
package enum Action: Sendable {
    case object(ObjectAction)
    case context(ContextAction)
    case list(ListAction)
    case look(LookAction)
    case batch(BatchStatement)
    case setting(SettingAction)
    case stack(StackAction)
}

/// Actions on objects of the session's context.
package enum ObjectAction: Sendable {
    case insert(entity: Located<String>, name: Located<String>?, values: [Assignment])
    /// Creates an object without a context, like `init(entity:insertInto: nil)`.
    case make(entity: Located<String>, name: Located<String>, values: [Assignment])
    /// Inserts an object that was created without a context.
    case register(ObjectReference)
    case set([PathAssignment])
    case relate(ObjectPath, to: [ObjectReference])
    case unrelate(ObjectPath, from: [ObjectReference])
    /// Sets the members of an ordered relationship, in this order.
    case order(ObjectPath, as: [ObjectReference])
    case delete(ObjectReference)
    case read(ObjectPath, name: Located<String>?)
    /// `existingObject(with:)` with the id of an object of another context.
    case adopt(ObjectReference, name: Located<String>)
    /// `object(with:)`, which creates a fault without checking the store.
    case lookUp(ObjectReference, name: Located<String>)
    case release(Located<String>)
    case fire(ObjectReference)
    case refresh(ObjectReference, keepsChanges: Bool)
    case detectConflicts(ObjectReference)
    case obtainIDs([ObjectReference])
    case state(ObjectReference, ObjectFlag, name: Located<String>?)
}

/// Actions on the session's context as a whole.
package enum ContextAction: Sendable {
    case save(SaveForm)
    case refreshAll
    case reset
    case rollback
    case undo
    case redo
    case processPending
    case merge(MergeChoice, from: Located<String>)
    case mergeRemote(from: Located<String>, into: [Located<String>])
    /// Pins the context to one state of the store. This is the newest state at the next read, or
    /// the state to which another context is pinned.
    case pin(to: Located<String>?)
    case unpin
    /// Merges the store's history since a token, or since the last such merge.
    case mergeHistory(since: Located<String>?)
    case state(ContextFlag, name: Located<String>?)
    case hookSaw(entity: Located<String>, name: Located<String>?)
}

/// Actions that find objects.
package enum ListAction: Sendable {
    case fetch(Query, name: Located<String>?)
    case count(Query, name: Located<String>?)
    /// Creates a fetched results controller, with the key that names sections.
    case watch(Query, sections: Located<String>?, name: Located<String>)
    /// The contents of a fetched results controller: the number of its objects, or its sections.
    case shown(list: Located<String>, isBySection: Bool, name: Located<String>?)
}

/// Actions that read information other than properties and states. They do not change objects.
package enum LookAction: Sendable {
    /// The last fetched or saved value of a property that may have an unsaved value.
    case committed(ObjectPath, name: Located<String>?)
    /// The keys of the properties that have unsaved values.
    case changed(ObjectReference, name: Located<String>?)
    case members(ObjectPath, name: Located<String>?)
    case sameID(ObjectReference, ObjectReference, name: Located<String>?)
    case contextOf(ObjectReference, name: Located<String>?)
    /// The conflicts that ended the context's last save.
    case conflicts(name: Located<String>?)
    /// The saves in the store's history since a token, or since the setup.
    case history(since: Located<String>?, name: Located<String>?)
    /// The current position in the store's history.
    case historyToken(name: Located<String>)
}

/// A setting of the session's context.
package enum SettingAction: Sendable {
    case policy(Setting<Located<PolicyName>>)
    case automerge(Bool)
    case staleness(Double)
    /// `shouldDeleteInaccessibleFaults`.
    case deletesInaccessible(Bool)
}

/// Actions on the stack of the session's context.
package enum StackAction: Sendable {
    case enqueue(block: Located<String>)
    case wait(block: Located<String>)
    case outside(sql: String, name: Located<String>?)
    case migrate(unique: [UniqueKey])
    case removeStore
    case fail(at: FailurePoint)
}

/// The points at which a scenario can make a stack fail. Each name is a fault point of the engine.
package enum FailurePoint: String, Sendable, CaseIterable {
    case read
    case write = "before-write"
    case committed = "after-commit"
    case didSave = "before-did-save"
    case merge = "before-merge"
}

/// A uniqueness constraint, written `ENTITY.KEY`, that the next version of the model adds.
package struct UniqueKey: Sendable {
    package let entity: Located<String>
    package let key: Located<String>

    package init(entity: Located<String>, key: Located<String>) {
        self.entity = entity
        self.key = key
    }
}

/// A batch request. It changes rows in the store without the objects of any context.
package struct BatchStatement: Sendable {
    package enum Kind: String, Sendable { case insert, update, delete }

    package let kind: Kind
    /// The entity, and the predicate that selects the rows to change. An insert has no predicate.
    package let query: Query
    package let values: [Assignment]

    package init(_ kind: Kind, _ query: Query, values: [Assignment] = []) {
        self.kind = kind
        self.query = query
        self.values = values
    }
}

/// The extent of a save and its expected error.
package struct SaveForm: Sendable {
    /// Whether the ancestors of the context are saved, too.
    package let isChain: Bool
    /// The code of the error with which the save must fail. After this error the step continues.
    package let expected: Int?

    package init(isChain: Bool = false, expected: Int? = nil) {
        self.isChain = isChain
        self.expected = expected
    }
}

/// The did-save notifications of another context that a `merge` statement merges.
package enum MergeChoice: String, Sendable, CaseIterable {
    case next, all, newest
    /// The last merged notification, which is merged a second time.
    case again
}

/// The states of an object that the verb `state` can read.
package enum ObjectFlag: String, Sendable, CaseIterable {
    case isInserted = "is-inserted"
    case isUpdated = "is-updated"
    case isDeleted = "is-deleted"
    case isFault = "is-fault"
    case hasChanges = "has-changes"
    case hasTemporaryID = "has-temporary-id"
}

/// The states of the context that the verb `state` can read.
package enum ContextFlag: String, Sendable, CaseIterable {
    case hasChanges = "has-changes"
    case isPinned = "is-pinned"
    case inserted, updated, deleted, registered
}

// MARK: Values and queries of actions

extension Action {
    var operands: [StepValue] {
        switch self {
        case .object(let action): action.operands
        case .batch(let batch): batch.values.map(\.value)
        case .context, .list, .look, .setting, .stack: []
        }
    }

    package var query: Query? {
        switch self {
        case .list(let action): action.query
        case .batch(let batch): batch.query
        case .object, .context, .look, .setting, .stack: nil
        }
    }
}

extension Action {
    package var block: Located<String>? {
        switch self {
        case .stack(let action): action.block
        case .object, .context, .list, .look, .batch, .setting: nil
        }
    }

    /// Whether the statement needs a store that tracks its history.
    package var usesHistory: Bool {
        switch self {
        case .context(.mergeHistory), .look(.history), .look(.historyToken): true
        case .object, .context, .list, .look, .batch, .setting, .stack: false
        }
    }

    package var isSave: Bool {
        if case .context(.save) = self { true } else { false }
    }
}

extension ObjectAction {
    fileprivate var operands: [StepValue] {
        switch self {
        case .insert(_, _, let values), .make(_, _, let values): values.map(\.value)
        case .set(let assignments): assignments.map(\.value)
        case .register, .relate, .unrelate, .order, .delete, .read, .adopt, .lookUp, .release,
            .fire, .refresh, .detectConflicts, .obtainIDs, .state:
            []
        }
    }
}

extension StackAction {
    fileprivate var block: Located<String>? {
        switch self {
        case .enqueue(let block), .wait(let block): block
        case .outside, .migrate, .removeStore, .fail: nil
        }
    }
}

extension ListAction {
    fileprivate var query: Query? {
        switch self {
        case .fetch(let query, _), .count(let query, _), .watch(let query, _, _): query
        case .shown: nil
        }
    }
}
