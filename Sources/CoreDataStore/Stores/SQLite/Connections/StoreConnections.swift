import CRuntimeShims
import CoreDataSQLite
import CoreDataTrace
import Foundation
import Synchronization

/// The connections of one store: a writer, and in WAL mode a pool of readers beside it.
///
/// Owned by `SQLiteStore`, which runs every statement through ``write(_:)`` or ``read(_:)``.
///
/// Lock order: writer, then pool. The pool's lock is held only to take or give back a connection.
/// A database in memory and a file without a write-ahead log have the writer alone: there a
/// second connection would see nothing, or wait for the first.
final class StoreConnections: Sendable {
    /// Nil once the store is closed.
    private let writer: Mutex<Kept<Connection>?>
    private let idleReaders = Mutex(IdleReaders())
    private let makeReader: (@Sendable () throws(SQLiteError) -> Connection)?
    private let trace: Trace
    /// What the event stream calls the lock of `writer`.
    private let resource: String
    /// Whose pool takes the one connection back on closing, where it was lent.
    private let lender: StoreConnections?

    /// Counts the readers at work, where there may only be so many.
    private let places: Places?

    /// - Parameters:
    ///   - readersMax: how many may read at one time; nil for any number.
    ///   - makeReader: opens one more connection for reading; nil where there is only
    ///     one.
    package init(
        writer: sending Connection, trace: Trace, readersMax: Int? = nil,
        makeReader: (@Sendable () throws(SQLiteError) -> Connection)?
    ) {
        Self.observe(writer, trace: trace)
        self.writer = Mutex(Kept(writer))
        self.trace = trace
        self.makeReader = makeReader
        hasReaders = makeReader != nil
        resource = "store writer"
        lender = nil
        places = makeReader == nil ? nil : readersMax.map { Places($0) }
    }

    /// The one connection of a held state.
    private init(held connection: sending Connection, lender: StoreConnections) {
        writer = Mutex(Kept(connection))
        trace = lender.trace
        makeReader = nil
        hasReaders = false
        resource = "query generation"
        places = nil
        self.lender = lender
    }

    /// Whether reading runs beside the writer.
    let hasReaders: Bool

    deinit { if lender != nil { close() } }

    /// Lends a connection of the pool with a read transaction open, which sees the present state
    /// until it is closed. Two statements.
    ///
    /// - Returns: nil where a reader would see nothing or keep the writer waiting.
    package func hold() throws(SQLiteError) -> StoreConnections? {
        guard hasReaders else { return nil }
        let connection = try takeReader()
        attend(connection)
        do throws(SQLiteError) {
            try connection.begin(.deferred)
            // The first read, not BEGIN, takes the state.
            _ = try connection.firstText("SELECT Z_UUID FROM Z_METADATA")
        } catch {
            try? connection.rollback()
            throw error
        }
        assert(connection.isInTransaction, "nothing holds the state")
        return StoreConnections(held: connection, lender: self)
    }

    /// Runs the body with the writer, one caller at a time.
    @inline(__always)  // So is `read(_:)`: captured references would be counted for each call.
    package func write<T: Sendable>(
        _ body: (Connection) throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        announce(.wait(resource: resource))
        return try writer.withLock { kept throws(SQLiteError) -> T in
            announce(.acquire(resource: resource))
            defer { announce(.release(resource: resource)) }
            let done: T? = try kept?.lend { connection throws(SQLiteError) in
                attend(connection)
                let result = try body(connection)
                assert(lender != nil || !connection.isInTransaction, "a transaction was left open")
                return result
            }
            guard let done else { throw Self.closed }
            return done
        }
    }

    /// Runs the body with a connection that reads; beside other readers and the writer in WAL.
    @inline(__always)
    package func read<T: Sendable>(
        _ body: (Connection) throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        guard hasReaders else { return try write(body) }
        places?.enter()
        defer { places?.leave() }
        let connection: Connection
        do throws(SQLiteError) { connection = try takeReader() } catch {
            // No further one can be opened, perhaps for want of descriptors: the writer reads too.
            return try write(body)
        }
        announce(.acquire(resource: "store reader"))
        defer {
            announce(.release(resource: "store reader"))
            giveBack(connection)
        }
        attend(connection)
        let result = try body(connection)
        // One that fails may leave a transaction that the next BEGIN tells of.
        assert(!connection.isInTransaction, "a reader goes back with a transaction open")
        return result
    }

    /// Closes everything that nobody uses right now. A reader at work closes when it is given back.
    package func close() {
        idleReaders.withLock { $0 = IdleReaders(isClosed: true) }
        let last = writer.withLock { kept in
            defer { kept = nil }
            return kept?.object
        }
        guard let lender, let last else { return }
        attend(last)
        // A connection whose transaction does not end is of no use to anybody.
        if (try? last.rollback()) != nil { lender.giveBack(last) }
    }

    private func takeReader() throws(SQLiteError) -> Connection {
        let (idle, isClosed) = idleReaders.withLock { ($0.take(), $0.isClosed) }
        if let idle { return idle }
        guard let makeReader, !isClosed else { throw Self.closed }
        let made = try makeReader()
        Self.observe(made, trace: trace)
        return made
    }

    private func giveBack(_ connection: Connection) {
        idleReaders.withLock { $0.put(connection) }
    }

    private static var closed: SQLiteError {
        SQLiteError(extendedCode: 21, message: "the store is closed")
    }

    /// The readers that nobody uses right now.
    private struct IdleReaders {
        private var readers: [(connection: Connection, thread: UInt)] = []
        let isClosed: Bool

        /// How many are kept open.
        private static let countMax = 4

        init(isClosed: Bool = false) { self.isClosed = isClosed }

        /// Takes one out: if it is here, the one that the calling thread had last, because what
        /// that one has read is near the thread's processor.
        mutating func take() -> Connection? {
            let thread = faultline_thread_id()
            guard let place = readers.lastIndex(where: { $0.thread == thread }) else {
                return readers.popLast()?.connection
            }
            return readers.remove(at: place).connection
        }

        mutating func put(_ connection: Connection) {
            assert(
                !readers.contains { $0.connection === connection }, "a reader was given back twice")
            guard !isClosed, readers.count < Self.countMax else { return }
            readers.append((connection, faultline_thread_id()))
        }
    }

    private func announce(_ event: @autoclosure () -> Event) {
        if trace.isOn { trace.record(event()) }
    }

    /// Tells a connection whether anybody listens now.
    private func attend(_ connection: Connection) {
        let isOn = trace.isOn
        guard isOn || connection.isObserved else { return }
        connection.isObserved = isOn
        connection.recordsBindings = isOn && trace.wantsBindings
    }

    package static func observe(_ connection: Connection, trace: Trace) {
        // The connection owns the hook, so it is there whenever the hook runs.
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

/// Lets so many threads in at one time and has others wait.
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

// `@unchecked Sendable` because `free` is used under `condition` alone.
extension Places: @unchecked Sendable {}
