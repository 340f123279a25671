/// A verb of the step language: its name, its grammar and its meaning.
///
/// The parser reads statements by this table; the reference page and the schema print it.
package enum Verb: String, Sendable, CaseIterable {
    case insert, set, relate, unrelate, delete, fetch, count, read, object, refresh, reset
    case rollback
    case processPending = "process-pending"
    case save, merge
    case detectConflicts = "detect-conflicts"
    case enqueue

    /// Words in front of a statement that are no verbs.
    package static let prefixes = ["if", "unless", "off-queue", "unchecked"]

    package var grammar: String {
        switch self {
        case .insert: "insert ENTITY [as NAME] [with KEY = VALUE, …]"
        case .set: "set OBJECT.KEY = VALUE, …"
        case .relate: "relate OBJECT.KEY to OBJECT, …"
        case .unrelate: "unrelate OBJECT.KEY [from OBJECT, …]"
        case .delete: "delete OBJECT"
        case .fetch: "fetch ENTITY [where PREDICATE] [sort KEY [descending], …] [limit N] [-> NAME]"
        case .count: "count ENTITY [where PREDICATE] [-> NAME]"
        case .read: "read OBJECT.KEY[.KEY…] [-> NAME]"
        case .object: "object OBJECT@CONTEXT as NAME"
        case .refresh: "refresh OBJECT keep|discard"
        case .reset: "reset"
        case .rollback: "rollback"
        case .processPending: "process-pending"
        case .save: "save"
        case .merge: "merge next|all from CONTEXT"
        case .detectConflicts: "detect-conflicts OBJECT"
        case .enqueue: "enqueue BLOCK"
        }
    }

    package var meaning: String {
        switch self {
        case .insert: "Inserts an object into the session's context and sets the named properties."
        case .set: "Sets attributes, or to-one relationships, of objects."
        case .relate: "Points a to-one relationship at an object, or adds objects to a to-many one."
        case .unrelate: "Sets a to-one relationship to nil, or removes objects from a to-many one."
        case .delete: "Deletes an object."
        case .fetch:
            "Fetches objects; the name stands for all of them, and for the first in a path."
        case .count: "Counts what a fetch would find."
        case .read: "Reads a property; a to-many relationship is read as the number of its members."
        case .object:
            "Takes an object of another context by its id, as code should that passes ids."
        case .refresh: "Refreshes an object, keeping or discarding its unsaved changes."
        case .reset: "Forgets all objects of the context."
        case .rollback: "Discards all unsaved changes of the context."
        case .processPending: "Processes pending changes: delete rules, inverses, notification."
        case .save: "Saves the context; a child saves into its parent."
        case .merge: "Merges the oldest, or every, did-save of a context that has not been merged."
        case .detectConflicts:
            "Has the next save check the version of an object it does not change."
        case .enqueue: "Puts a block of the file on its context's queue, where it waits its turn."
        }
    }
}
