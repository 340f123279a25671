/// A verb of the step language: its name, its grammar and its meaning.
///
/// The parser reads statements by this table; the reference page and the schema print it.
package enum Verb: String, Sendable, CaseIterable {
    case insert, make, register, set, relate, unrelate, order, delete, fetch, count, read, state
    case committed, changed, members
    case sameID = "same-id"
    case contextOf = "context-of"
    case watch, shown
    case hookSaw = "hook-saw"
    case object
    case lookUp = "look-up"
    case obtainIDs = "obtain-ids"
    case fire, release, refresh
    case refreshAll = "refresh-all"
    case reset, rollback, undo, redo
    case processPending = "process-pending"
    case save
    case saveChain = "save-chain"
    case batchInsert = "batch-insert"
    case batchUpdate = "batch-update"
    case batchDelete = "batch-delete"
    case merge
    case mergeRemote = "merge-remote"
    case conflicts, history, pin, unpin
    case historyToken = "history-token"
    case mergeHistory = "merge-history"
    case detectConflicts = "detect-conflicts"
    case policy, automerge, staleness
    case deleteInaccessible = "delete-inaccessible"
    case enqueue, wait, outside, migrate
    case removeStore = "remove-store"
    case fail

    /// Words in front of a statement that are no verbs.
    package static let prefixes = ["repeat", "if", "unless", "off-queue", "unchecked"]

    package var grammar: String {
        switch self {
        case .insert: "insert ENTITY [as NAME] [with KEY = VALUE, …]"
        case .set: "set OBJECT.KEY =|+=|-=|*= VALUE, …"
        case .relate: "relate OBJECT.KEY to OBJECT, …"
        case .unrelate: "unrelate OBJECT.KEY [from OBJECT, …]"
        case .order: "order OBJECT.KEY as OBJECT, …"
        case .delete: "delete OBJECT"
        case .make: "make ENTITY as NAME [with KEY = VALUE, …]"
        case .register: "register OBJECT"
        case .fetch:
            "fetch ENTITY [where PREDICATE] [sort KEY [descending], …] [limit N] [offset N]"
                + " [batch N] [prefetch KEY, …] [refreshing] [realised] [without-pending]"
                + " [without-subentities] [-> NAME]"
        case .count: "count ENTITY [where PREDICATE] [-> NAME]"
        case .read: "read OBJECT.KEY[.KEY…] [-> NAME]"
        case .watch: "watch ENTITY [by KEY] [where PREDICATE] sort KEY [descending], … -> NAME"
        case .shown: "shown NAME [by-section] [-> NAME]"
        case .hookSaw: "hook-saw ENTITY [-> NAME]"
        case .object: "object OBJECT@CONTEXT as NAME"
        case .state:
            "state [OBJECT] "
                + ObjectFlag.allCases.map(\.rawValue).joined(separator: "|")
                + "|is-pinned|inserted|updated|deleted|registered [-> NAME]"
        case .committed: "committed OBJECT.KEY [-> NAME]"
        case .changed: "changed OBJECT [-> NAME]"
        case .members: "members OBJECT.KEY [-> NAME]"
        case .sameID: "same-id OBJECT OBJECT [-> NAME]"
        case .contextOf: "context-of OBJECT [-> NAME]"
        case .lookUp: "look-up OBJECT@CONTEXT as NAME"
        case .obtainIDs: "obtain-ids [OBJECT, …]"
        case .fire: "fire OBJECT"
        case .release: "release NAME"
        case .refresh: "refresh OBJECT keep|discard"
        case .refreshAll: "refresh-all"
        case .reset: "reset"
        case .rollback: "rollback"
        case .undo: "undo"
        case .redo: "redo"
        case .processPending: "process-pending"
        case .save: "save [expecting CODE]"
        case .saveChain: "save-chain [expecting CODE]"
        case .batchInsert: "batch-insert ENTITY with KEY = VALUE, …"
        case .batchUpdate: "batch-update ENTITY with KEY = VALUE, … [where PREDICATE]"
        case .batchDelete: "batch-delete ENTITY [where PREDICATE]"
        case .merge: "merge next|all|newest|again from CONTEXT"
        case .mergeRemote: "merge-remote CONTEXT into CONTEXT, …"
        case .conflicts: "conflicts [-> NAME]"
        case .history: "history [since TOKEN] [-> NAME]"
        case .historyToken: "history-token -> NAME"
        case .mergeHistory: "merge-history [since TOKEN]"
        case .pin: "pin [to CONTEXT]"
        case .unpin: "unpin"
        case .detectConflicts: "detect-conflicts OBJECT"
        case .policy: "policy POLICY"
        case .automerge: "automerge on|off"
        case .staleness: "staleness SECONDS"
        case .deleteInaccessible: "delete-inaccessible on|off"
        case .enqueue: "enqueue BLOCK"
        case .wait: "wait BLOCK"
        case .outside: "outside \"SQL\" [-> NAME]"
        case .migrate: "migrate unique ENTITY.KEY, …"
        case .removeStore: "remove-store"
        case .fail: "fail " + FailurePoint.allCases.map(\.rawValue).joined(separator: "|")
        }
    }

    package var meaning: String {
        switch self {
        case .insert: "Inserts an object into the session's context and sets the named properties."
        case .make:
            "Makes an object without a context, as `init(entity:insertInto:)` with nil does."
        case .register: "Inserts an object that was made without a context."
        case .set: "Sets attributes, or to-one relationships, of objects."
        case .relate: "Points a to-one relationship at an object, or adds objects to a to-many one."
        case .unrelate: "Sets a to-one relationship to nil, or removes objects from a to-many one."
        case .order: "Gives an ordered relationship exactly these members, in this order."
        case .delete: "Deletes an object."
        case .fetch:
            "Fetches objects; the name stands for all of them, and for the first in a path."
        case .count: "Counts what a fetch would find."
        case .read: "Reads a property; a to-many relationship is read as the number of its members."
        case .watch:
            "Makes a fetched results controller, lets it fetch, and keeps it under the name; from"
                + " then on it follows what its context tells. With `by` it has sections."
        case .shown:
            "Looks at a results controller: the number of its objects, or with `by-section` a text"
                + " for each section, such as `open: 2`."
        case .hookSaw:
            "Looks at what `prepareForDeletion` of this entity's objects read last in the session's"
                + " context; `none` if it has not run. The entity needs `on-delete`."
        case .object:
            "Takes an object of another context by its id, as code should that passes ids."
        case .state:
            "Looks at an object's state, or at the context's where no object is named: a number of"
                + " objects, whether anything is unsaved, or whether one state of the store is"
                + " read."
        case .committed:
            "Looks at the value that was last fetched or saved, whatever has been set since."
        case .changed: "Looks at the keys whose values are not saved, as a list in their order."
        case .members:
            "Looks at the members of a to-many relationship, as a list: in their order where the"
                + " relationship has one, else by name."
        case .sameID: "Looks whether two objects, maybe of two contexts, have one id."
        case .contextOf: "Looks at the name of an object's context; `none` where it has none."
        case .lookUp:
            "Takes the object of an id without looking whether its row is there"
                + " (`object(with:)`); `object` does look (`existingObject(with:)`)."
        case .obtainIDs:
            "Gives new objects their permanent ids before the save; all of them where none is"
                + " named."
        case .fire: "Fires an object's fault, as `willAccessValue(forKey: nil)` does."
        case .release: "Lets go of an object; the context may forget it."
        case .refreshAll: "Refreshes every object of the context, keeping unsaved changes."
        case .refresh: "Refreshes an object, keeping or discarding its unsaved changes."
        case .reset: "Forgets all objects of the context."
        case .rollback: "Discards all unsaved changes of the context."
        case .undo: "Takes the last change back; the context needs `undo: true`."
        case .redo: "Does again what was undone last."
        case .processPending: "Processes pending changes: delete rules, inverses, notification."
        case .save:
            "Saves the context; a child saves into its parent. With `expecting` the step goes on"
                + " after that error, and ends as `unexpected` with any other result."
        case .saveChain: "Saves the context, its parent, and so on up to the store."
        case .batchInsert:
            "Inserts a row with a batch request: no object is made, and no context is told."
        case .batchUpdate: "Changes rows with a batch request; no context is told."
        case .batchDelete:
            "Deletes rows with a batch request; no context is told. `merge-remote` merges what a"
                + " batch did, by ids, into the contexts that it names."
        case .merge:
            "Merges the oldest, every, or the newest did-save of a context that has not been"
                + " merged, or the last merged one once more."
        case .mergeRemote:
            "Merges the oldest did-save of a context into others by ids"
                + " (`mergeChanges(fromRemoteContextSave:into:)`)."
        case .conflicts:
            "Looks at what kept the context's last save from succeeding, as a list: the object, its"
                + " versions and the values that differ; empty after a save that succeeded."
        case .history:
            "Looks at the store's history, as a list with a text for each save since the token, or"
                + " since the setup: `A in a1: update a.n, insert b`. A store with history verbs"
                + " tracks its history; it needs SQLite."
        case .historyToken:
            "Keeps the place in the store's history that is reached: the number of the last save."
        case .mergeHistory:
            "Merges what the store's history has since the token, or since the context's last"
                + " `merge-history`, one save after another; the context's own saves are left"
                + " out, as apps leave them out by their author."
        case .pin:
            "Has the context read one state of the store, that of its next read or that of another"
                + " context (`setQueryGenerationFrom(_:)`). It needs a store with a write-ahead"
                + " log."
        case .unpin: "Has the context read the newest state again."
        case .detectConflicts:
            "Has the next save check the version of an object it does not change."
        case .policy: "Sets the context's merge policy."
        case .automerge: "Switches `automaticallyMergesChangesFromParent`."
        case .staleness: "Sets the context's `stalenessInterval`; -1 accepts rows of any age."
        case .deleteInaccessible:
            "Sets `shouldDeleteInaccessibleFaults`: whether a fault without a row becomes a deleted"
                + " object without values, or an error."
        case .enqueue: "Puts a block of the file on its context's queue, where it waits its turn."
        case .wait: "Runs a block of the file on its context's queue and waits for it."
        case .outside:
            "Runs a statement on a connection that knows nothing of the stack, as another process"
                + " has one; each session has its own. It needs a store that is a file."
        case .migrate:
            "Opens the store's file with the model of the app's next version, in which these keys"
                + " are unique, which migrates it, and closes it again. It needs a store that is a"
                + " file."
        case .removeStore: "Removes the store from the context's coordinator."
        case .fail:
            "Has the context's stack fail once, with error 134070, when it comes to this point: it"
                + " asks the store for rows, is about to write a save, has just committed one, is"
                + " about to tell of one, or is about to merge one."
        }
    }
}
