import CRuntimeShims
import CoreDataSQLite
import CoreDataTrace
import Foundation
import Synchronization

/// The connections of one store: a writer, and in WAL mode also a pool of readers.
///
/// `SQLiteStore` runs every statement through ``write(_:)`` or ``read(_:)``.
///
/// A store that is only read has one connection: the connection that opened it becomes the writer
/// only at the first write. If that connection is just being used for reading, another one becomes
/// the writer.
///
/// Lock order: writer, then pool. The pool's lock is held only to take or return a connection. A
/// database in memory has no pool, because a second connection could not read it. A file without a
/// write-ahead log has no pool either, because a second connection would wait for the first one.
final class StoreConnections: Sendable {
    package typealias Factory = @Sendable () throws(SQLiteError) -> Connection

    /// The writer. Nil after the store is closed, and before the first write of a store with a
    /// pool.
    private let writer: Mutex<RetainedObject<Connection>?>
    private let idleReaders: Mutex<IdleReaders>
    private let factories: Factories?
    private let trace: Trace
    /// The name of the lock of `writer` in the event stream.
    private let resource: String
    /// The object that has lent its connection to this view; nil for the store itself.
    private let lender: StoreConnections?

    /// Limits the number of active readers; nil for no limit.
    private let places: Places?

    struct Factories: Sendable {
        let reader: Factory
        let writer: Factory
    }

    /// Creates the connections of a store that reads and writes with a single connection.
    package init(alone connection: sending Connection, trace: Trace) {
        Self.observe(connection, trace: trace)
        writer = Mutex(RetainedObject(connection))
        idleReaders = Mutex(IdleReaders())
        self.trace = trace
        factories = nil
        resource = "store writer"
        lender = nil
        places = nil
    }

    /// Creates a pool with one connection, which may become the writer.
    ///
    /// - Parameter readersMax: the maximum number of simultaneous readers; nil for no limit.
    package init(
        first connection: sending Connection, trace: Trace, readersMax: Int?, factories: Factories
    ) {
        Self.observe(connection, trace: trace)
        writer = Mutex(nil)
        var idle = IdleReaders()
        idle.put(Reader(connection: connection, canWrite: true))
        idleReaders = Mutex(idle)
        self.trace = trace
        self.factories = factories
        resource = "store writer"
        lender = nil
        places = readersMax.map { Places($0) }
    }

    /// Creates a view that keeps an earlier state of a store, with a single connection.
    private init(held connection: sending Connection, lender: StoreConnections) {
        writer = Mutex(RetainedObject(connection))
        idleReaders = Mutex(IdleReaders())
        trace = lender.trace
        factories = nil
        resource = "query generation"
        places = nil
        self.lender = lender
    }

    /// Whether readers run in parallel to the writer.
    var hasReaders: Bool { factories != nil }

    deinit { if lender != nil { close() } }

    /// Lends a connection of the pool in a read transaction, which sees the present state until it
    /// is closed. Runs two statements.
    ///
    /// - Returns: the connection; nil if the store has no pool.
    package func hold() throws(SQLiteError) -> StoreConnections? {
        guard hasReaders else { return nil }
        let connection = try takeReader().connection
        attend(connection)
        do throws(SQLiteError) {
            try connection.begin(.deferred)
            // BEGIN does not fix the state that the transaction sees; its first read does.
            _ = try connection.firstText("SELECT Z_UUID FROM Z_METADATA")
        } catch {
            try? connection.rollback()
            throw error
        }
        assert(connection.isInTransaction, "no transaction holds the state")
        return StoreConnections(held: connection, lender: self)
    }

    /// Runs the body with the writer, which only one caller at a time can use.
    @inline(__always)  // As in `read(_:)`: inlining avoids captured references.
    package func write<T: Sendable>(
        _ body: (Connection) throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        announce(.wait(resource: resource))
        return try writer.withLock { kept throws(SQLiteError) -> T in
            announce(.acquire(resource: resource))
            defer { announce(.release(resource: resource)) }
            if kept == nil { kept = RetainedObject(try takeWriter()) }
            // Safe: the lines above create the connection if it is missing.
            return try kept!.lend { connection throws(SQLiteError) in
                attend(connection)
                let result = try body(connection)
                assert(
                    lender != nil || connection.isHeld || !connection.isInTransaction,
                    "a transaction was left open")
                return result
            }
        }
    }

    /// Runs the body with a connection for reading. In WAL mode the body runs in parallel with
    /// other readers and with the writer.
    @inline(__always)
    package func read<T: Sendable>(
        _ body: (Connection) throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        guard hasReaders else { return try write(body) }
        places?.enter()
        defer { places?.leave() }
        let reader: Reader
        do throws(SQLiteError) { reader = try takeReader() } catch {
            // If no further connection can be opened, for example for lack of file descriptors, the
            // writer reads.
            return try write(body)
        }
        announce(.acquire(resource: "store reader"))
        defer {
            announce(.release(resource: "store reader"))
            giveBack(reader)
        }
        attend(reader.connection)
        let result = try body(reader.connection)
        // Not checked if the body throws an error: its transaction may still be open, and the next
        // BEGIN reports this.
        assert(
            !reader.connection.isInTransaction, "the reader is returned with an open transaction")
        return result
    }

    /// Closes all idle connections. A connection in use is closed when it is returned.
    package func close() {
        idleReaders.withLock { $0 = IdleReaders(isClosed: true) }
        let last = writer.withLock { kept in
            defer { kept = nil }
            return kept?.object
        }
        guard let lender, let last else { return }
        attend(last)
        // If its transaction cannot be ended, the connection is discarded.
        if (try? last.rollback()) != nil {
            lender.giveBack(Reader(connection: last, canWrite: false))
        }
    }

    private func takeReader() throws(SQLiteError) -> Reader {
        try take({ $0.take() }, else: factories?.reader)
    }

    private func giveBack(_ reader: Reader) {
        idleReaders.withLock { $0.put(reader) }
    }

    /// Takes the connection that becomes the writer. Called under the writer's lock.
    private func takeWriter() throws(SQLiteError) -> Connection {
        try take({ $0.takeWriting() }, else: factories?.writer).connection
    }

    @inline(__always)  // Every fault calls this; inlining avoids captured references.
    private func take(
        _ idle: (inout IdleReaders) -> Reader?, else factory: @autoclosure () -> Factory?
    ) throws(SQLiteError) -> Reader {
        let (found, isClosed) = idleReaders.withLock { (idle(&$0), $0.isClosed) }
        if let found { return found }
        guard !isClosed, let make = factory() else { throw Self.closed }
        let made = try make()
        Self.observe(made, trace: trace)
        return Reader(connection: made, canWrite: false)
    }

    private static var closed: SQLiteError {
        SQLiteError(extendedCode: 21, message: "the store is closed")
    }

    private struct Reader {
        let connection: Connection
        /// Whether the connection may become the writer.
        let canWrite: Bool
    }

    private struct IdleReaders {
        private var readers: [(reader: Reader, thread: UInt)] = []
        let isClosed: Bool

        private static let countMax = 4

        init(isClosed: Bool = false) { self.isClosed = isClosed }

        /// Takes an idle reader, preferably the one that the calling thread used last: its data may
        /// still be in the processor's cache.
        mutating func take() -> Reader? {
            let thread = faultline_thread_id()
            guard let place = readers.lastIndex(where: { $0.thread == thread }) else {
                return readers.popLast()?.reader
            }
            return readers.remove(at: place).reader
        }

        /// Takes the idle reader that may become the writer.
        mutating func takeWriting() -> Reader? {
            readers.firstIndex { $0.reader.canWrite }.map { readers.remove(at: $0).reader }
        }

        mutating func put(_ reader: Reader) {
            assert(
                !readers.contains { $0.reader.connection === reader.connection },
                "the reader was returned twice")
            guard !isClosed, readers.count < Self.countMax else { return }
            readers.append((reader, faultline_thread_id()))
        }
    }

    private func announce(_ event: @autoclosure () -> Event) {
        if trace.isOn { trace.record(event()) }
    }

    /// Updates whether the statements of a connection are observed.
    private func attend(_ connection: Connection) {
        let isOn = trace.isOn
        guard isOn || connection.isObserved else { return }
        connection.isObserved = isOn
        connection.recordsBindings = isOn && trace.wantsBindings
    }

    package static func observe(_ connection: Connection, trace: Trace) {
        // `unowned` is safe, because the connection owns the hook.
        connection.observe { [unowned connection] run in
            let plan = trace.wantsPlans ? (try? connection.queryPlan(of: run.sql)) ?? [] : []
            trace.record(.statement(StatementEvent(run, plan: plan.map(\.text))))
        }
    }
}

extension StatementEvent {
    package init(_ run: StatementRun, plan: [String] = []) {
        self.init(
            kind: Kind(run.kind), sql: run.sql, bindings: run.bindings, plan: plan, rows: run.rows,
            vmSteps: run.vmSteps, nanoseconds: run.nanoseconds)
    }
}

extension StatementEvent.Kind {
    package init(_ kind: StatementKind) {
        self =
            switch kind {
            case .select: .select
            case .insert: .insert
            case .update: .update
            case .delete: .delete
            case .begin: .begin
            case .commit: .commit
            case .rollback: .rollback
            case .pragma: .pragma
            case .schema: .schema
            case .other: .other
            }
    }
}

/// Limits the number of threads that read at one time. Further threads wait.
private final class Places {
    private let condition = NSCondition()
    private var free: Int

    init(_ count: Int) { free = count }

    func enter() {
        condition.lock()
        while free == 0 { condition.wait() }
        free -= 1
        condition.unlock()
    }

    func leave() {
        condition.lock()
        free += 1
        condition.signal()
        condition.unlock()
    }
}

// `@unchecked Sendable` because `free` is only used under `condition`.
extension Places: @unchecked Sendable {}
