/// Everything that can be observed while the engine works.
///
/// The SQL log, the lab's transcripts and the bench's counters all read this one stream. An
/// event carries values only; object ids are given as entity name and key.
package enum Event: Sendable {
    /// A SQL statement ran to its end.
    case statement(StatementEvent)
    /// A fetch request or count came back from the store.
    case fetch(entity: String, rows: Int, nanoseconds: UInt64)
    case count(entity: String, count: Int, nanoseconds: UInt64)
    /// A fetch's statement gave its rows; told only to those who want rows.
    case rows(RowsEvent)
    /// An object's fault fired.
    case fault(object: ObjectName, source: FaultSource)
    /// A to-many relationship's fault fired.
    case relationshipFault(object: ObjectName, relationship: String, rows: Int, source: FaultSource)
    /// Destinations of a relationship were fetched ahead.
    case prefetch(keyPath: String, rows: Int)
    /// Work was put on a context's queue.
    case enqueue(queue: String, label: String)
    /// A lock is about to be waited for; a listener may hold the thread here until it is free.
    case wait(resource: String)
    /// A lock or a context's queue was waited for, and was got.
    case acquire(resource: String)
    case release(resource: String)
    /// A step of a save began.
    case saveStep(context: String, step: String)
    /// Another context's save was merged into this context.
    case merge(context: String, inserted: Int, updated: Int, deleted: Int)
    /// A merge policy had to decide.
    case conflict(context: String, kind: String, object: ObjectName, policy: String)
    /// A line for the log that is none of the above.
    case annotation(String)

    package enum FaultSource: String, Sendable {
        case rowCache
        case store
        case parent
        /// The row came with a batch that another object's fault asked for.
        case batch
    }
}

/// An object as the event stream names it.
package struct ObjectName: Sendable, Hashable {
    package let entity: String
    /// The primary key; negative for an object that has no row yet.
    package let key: Int64
    /// The store's identifier, or the empty string for an object that has no row yet.
    package let store: String

    package init(entity: String, key: Int64, store: String = "") {
        self.entity = entity
        self.key = key
        self.store = store
    }
}

/// What the statement of a fetch gave.
package struct RowsEvent: Sendable {
    package let entity: String
    package let sql: String
    package let objects: [ObjectName]

    package init(entity: String, sql: String, objects: [ObjectName]) {
        self.entity = entity
        self.sql = sql
        self.objects = objects
    }
}

/// What one SQL statement did.
package struct StatementEvent: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case select, insert, update, delete, begin, commit, rollback, pragma, schema, other
    }

    package let kind: Kind
    package let sql: String
    /// The bound values as text, in order; filled in only for sinks that ask for details.
    package let bindings: [String]
    /// The lines of the query plan; filled in only for sinks that ask for plans.
    package let plan: [String]
    /// Rows that the statement returned, or changed where it returns none.
    package let rows: Int
    /// Instructions of SQLite's virtual machine.
    package let vmSteps: Int
    package let nanoseconds: UInt64

    package init(
        kind: Kind, sql: String, bindings: [String] = [], plan: [String] = [], rows: Int,
        vmSteps: Int, nanoseconds: UInt64
    ) {
        self.kind = kind
        self.sql = sql
        self.bindings = bindings
        self.plan = plan
        self.rows = rows
        self.vmSteps = vmSteps
        self.nanoseconds = nanoseconds
    }
}
