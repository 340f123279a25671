/// A verb of the step language: its name, its grammar and its meaning.
///
/// The parser reads statements according to this table. The reference page and the schema contain
/// the table.
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

    /// Words that can precede a statement but are not verbs.
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
            "Creates an object without a context, like `init(entity:insertInto:)` with nil."
        case .register: "Inserts an object that was created without a context."
        case .set: "Sets attributes or to-one relationships of objects."
        case .relate:
            "Sets a to-one relationship to an object, or adds objects to a to-many relationship."
        case .unrelate:
            "Sets a to-one relationship to nil, or removes objects from a to-many relationship."
        case .order:
            "Sets the members of an ordered relationship to the named objects, in this order."
        case .delete: "Deletes an object."
        case .fetch:
            "Fetches objects. The name denotes all fetched objects; in a path it denotes the first"
                + " object."
        case .count: "Counts the objects that a fetch would find."
        case .read: "Reads a property; for a to-many relationship, the number of its members."
        case .watch:
            "Creates a fetched results controller with this name, and runs its fetch. The"
                + " controller then follows the changes of its context. With `by` it has sections."
        case .shown:
            "Reads a results controller: the number of its objects, or with `by-section` a text"
                + " for each section, such as `open: 2`."
        case .hookSaw:
            "Reads the value that `prepareForDeletion` read at the last deletion of an object of"
                + " this entity in the session's context; `none` if no object was deleted. The"
                + " entity needs `on-delete`."
        case .object:
            "Gets an object of another context by its id, after a check that its row exists"
                + " (`existingObject(with:)`)."
        case .state:
            "Reads an object's state, or the context's if no object is named: a number of"
                + " objects, whether changes are unsaved, or whether the context is pinned."
        case .committed:
            "Reads the value that was last fetched or saved, regardless of unsaved changes."
        case .changed: "Reads the keys of unsaved values, as a list in their order."
        case .members:
            "Reads the members of a to-many relationship, as a list: in the relationship's order if"
                + " it is ordered, otherwise by name."
        case .sameID: "Checks whether two objects, possibly of two contexts, have the same id."
        case .contextOf:
            "Reads the name of an object's context; `none` for an object without a context."
        case .lookUp:
            "Gets an object of another context by its id, without a check that its row exists"
                + " (`object(with:)`)."
        case .obtainIDs:
            "Assigns permanent ids before the save to the named new objects, or to all new objects"
                + " if no object is named."
        case .fire: "Fires an object's fault, like `willAccessValue(forKey: nil)`."
        case .release: "Releases an object, so that the context can drop it."
        case .refreshAll: "Refreshes every object of the context, keeping unsaved changes."
        case .refresh: "Refreshes an object, keeping or discarding its unsaved changes."
        case .reset: "Forgets all objects of the context."
        case .rollback: "Discards all unsaved changes of the context."
        case .undo: "Undoes the last change; the context needs `undo: true`."
        case .redo: "Redoes the change that was undone last."
        case .processPending: "Processes pending changes: delete rules, inverses, notification."
        case .save:
            "Saves the context; a child saves into its parent. With `expecting` the step continues"
                + " after that error, and ends as `unexpected` with any other result."
        case .saveChain: "Saves the context, its parent, and so on up to the store."
        case .batchInsert:
            "Inserts a row with a batch request: no object is created, and no context is notified."
        case .batchUpdate: "Changes rows with a batch request; no context is notified."
        case .batchDelete:
            "Deletes rows with a batch request; no context is notified. `merge-remote` merges the"
                + " changes of a batch, by ids, into the contexts that it names."
        case .merge:
            "Merges did-save notifications of a context: the oldest (`next`), all (`all`) or the"
                + " newest (`newest`) of those that were not merged yet, or the last merged"
                + " notification for a second time (`again`)."
        case .mergeRemote:
            "Merges the oldest did-save notification of a context into other contexts by ids"
                + " (`mergeChanges(fromRemoteContextSave:into:)`)."
        case .conflicts:
            "Reads the conflicts that made the context's last save fail, as a list: the object, its"
                + " versions and the values that differ; empty after a save that succeeded."
        case .history:
            "Reads the store's history, as a list with a text for each save since the token, or"
                + " since the setup: `A in a1: update a.n, insert b`. If a scenario uses history"
                + " verbs, its store tracks history. The store must be in SQLite."
        case .historyToken:
            "Binds the name to the current position in the store's history: the number of the last"
                + " save."
        case .mergeHistory:
            "Merges the store's history since the token, or since the context's last"
                + " `merge-history`, one save after another; the context's own saves are left"
                + " out, as in apps that filter by author."
        case .pin:
            "Pins the context to the state of the store at its next read, or to the state of "
                + "another context (`setQueryGenerationFrom(_:)`). It needs a store with a "
                + "write-ahead log."
        case .unpin: "Makes the context read the newest state again."
        case .detectConflicts:
            "Makes the next save check the version of an object that the save does not change."
        case .policy: "Sets the context's merge policy."
        case .automerge: "Switches `automaticallyMergesChangesFromParent`."
        case .staleness: "Sets the context's `stalenessInterval`; -1 accepts rows of any age."
        case .deleteInaccessible:
            "Sets `shouldDeleteInaccessibleFaults`: whether a fault without a row becomes a deleted"
                + " object without values, or an error."
        case .enqueue: "Puts a block of the file on its context's queue, without waiting for it."
        case .wait: "Runs a block of the file on its context's queue and waits for it."
        case .outside:
            "Runs an SQL statement on a connection outside the stack, like another process; each"
                + " session has a separate connection. The store must be a file."
        case .migrate:
            "Migrates the store's file to a model in which these keys are unique: opens the file"
                + " with that model, like the next version of an app, and closes it. The store"
                + " must be a file."
        case .removeStore: "Removes the store from the context's coordinator."
        case .fail:
            "Makes the context's stack fail once, with error 134070, at the named point: when it"
                + " reads rows, before it writes a save, after it has committed a save, before it"
                + " posts the did-save notification, or before it merges a notification."
        }
    }
}
