/// An observable event of the engine.
///
/// The SQL log, the lab's transcripts and the bench's counters read the same events. An event
/// contains only values: an object is identified by entity name and key.
package enum Event: Sendable {
    /// A SQL statement ran to completion.
    case statement(StatementEvent)
    /// The store returned the result of a fetch or count request.
    case fetch(entity: String, rows: Int, nanoseconds: UInt64)
    case count(entity: String, count: Int, nanoseconds: UInt64)
    /// A fetch's statement returned its rows. Recorded only if a sink requests rows.
    case rows(RowsEvent)
    /// An object's fault fired.
    case fault(object: ObjectName, source: FaultSource)
    /// A fault or a search by id found no row.
    case noRow(object: ObjectName)
    /// A to-many relationship's fault fired.
    case relationshipFault(object: ObjectName, relationship: String, rows: Int, source: FaultSource)
    /// The destinations of a relationship were prefetched.
    case prefetch(keyPath: String, rows: Int)
    /// A block was put on a context's queue.
    case enqueue(queue: String, label: String)
    /// A thread is about to wait for a lock. A listener may block the thread until the lock is
    /// free.
    case wait(resource: String)
    /// A thread is about to take a lock if no other thread holds it.
    case attempt(resource: String)
    /// A thread acquired a lock or a context's queue after waiting for it.
    case acquire(resource: String)
    case release(resource: String)
    /// A step of a save began.
    case saveStep(context: String, step: String)
    /// Another context's save was merged into this context.
    case merge(context: String, inserted: Int, updated: Int, deleted: Int)
    /// A merge policy resolved a conflict.
    case conflict(context: String, kind: String, object: ObjectName, policy: String)
    /// A coordinator is about to change its stores, for example to add or remove one; the text is a
    /// verb with its object.
    case stores(String)
    /// An informational line for the log that no other case covers.
    case annotation(String)

    package enum FaultSource: String, Sendable {
        case rowCache
        case store
        case parent
        /// The row was read as part of a batch that another object's fault requested.
        case batch
    }
}

/// The name of an object in the event stream.
package struct ObjectName: Sendable, Hashable {
    package let entity: String
    package let key: Int64
    /// The store's identifier, or the empty string for an object without a row.
    package let store: String

    package init(entity: String, key: Int64, store: String = "") {
        self.entity = entity
        self.key = key
        self.store = store
    }
}

/// The result of a fetch's SQL statement.
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

/// One execution of a SQL statement.
package struct StatementEvent: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case select, insert, update, delete, begin, commit, rollback, pragma, schema, other
    }

    package let kind: Kind
    package let sql: String
    /// The bound values as text, in order; only set for sinks that ask for details.
    package let bindings: [String]
    /// The lines of the query plan; only set for sinks that ask for plans.
    package let plan: [String]
    /// The number of rows that the statement returned, or that it changed if it returns none.
    package let rows: Int
    /// The number of instructions that SQLite's virtual machine executed.
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
