import CoreDataPostgreSQLClient
import CoreDataStore
import CoreDataTrace
import Synchronization

/// The connections of one store, which reports their statements to the trace.
///
/// A view of an earlier state has a connection of its own, whose transaction keeps the state until
/// the view is closed. The connection's mutex lets one thread at a time use it.
final class ServerConnections: Sendable {
    let address: ServerAddress
    private let options: Connection.Options
    private let source: Source
    private let trace: Trace

    private enum Source: Sendable {
        case pool(ConnectionPool)
        case held(Held)
    }

    /// The connection of a view; nil after the view was closed.
    private final class Held: Sendable {
        let connection: Mutex<Connection?>

        init(_ connection: Connection) { self.connection = Mutex(connection) }
    }

    init(_ options: ServerOptions, trace: Trace) {
        address = options.address
        self.options = options.connection
        source = .pool(
            ConnectionPool(options.address, limits: options.limits, options: options.connection))
        self.trace = trace
    }

    /// Opens the only connection of a store.
    init(alone options: ServerOptions, trace: Trace) throws(ServerError) {
        address = options.address
        self.options = options.connection
        source = .held(Held(try Connection(options.address, options: options.connection)))
        self.trace = trace
    }

    private init(holding connection: Connection, of store: ServerConnections) {
        address = store.address
        options = store.options
        source = .held(Held(connection))
        trace = store.trace
    }

    func close() {
        switch source {
        case .pool(let pool): pool.close()
        case .held(let held): held.connection.withLock { $0 = nil }
        }
    }

    /// Runs the body with a connection.
    func run<T>(_ body: (Connection) throws(ServerError) -> T) throws(ServerError) -> T {
        switch source {
        case .pool(let pool):
            return try pool.withConnection { connection throws(ServerError) in
                observe(connection)
                return try body(connection)
            }
        case .held(let held): return try run(body, held)
        }
    }

    /// Runs a body that only reads. If the connection of a pool is lost, the body runs again with
    /// another connection.
    func read<T>(_ body: (Connection) throws(ServerError) -> T) throws(ServerError) -> T {
        do throws(ServerError) { return try run(body) } catch {
            guard error.isConnectionLost, case .pool = source else { throw error }
            return try run(body)
        }
    }

    /// Runs a body that only reads, and whose statements all see one state.
    func readOneState<T>(_ body: (Connection) throws(ServerError) -> T) throws(ServerError) -> T {
        guard case .pool = source else { return try run(body) }
        return try read { connection throws(ServerError) in
            try connection.transaction(.repeatableRead, readsOnly: true) {
                () throws(ServerError) in try body(connection)
            }
        }
    }

    private func observe(_ connection: Connection) {
        guard trace.isOn else { return connection.observe(nil) }
        connection.recordsBindings = trace.wantsBindings
        connection.observe { [trace] run in
            trace.record(
                .statement(
                    StatementEvent(
                        kind: run.kind.eventKind, sql: run.sql, bindings: run.bindings,
                        rows: run.rows, vmSteps: 0, nanoseconds: run.nanoseconds)))
        }
    }
}

// MARK: Held states

extension ServerConnections {
    /// Opens a connection that sees the present state until it is closed.
    ///
    /// - Parameter isolation: the level; with read committed, the connection only reads.
    func hold(_ isolation: Connection.Isolation) throws(ServerError) -> ServerConnections {
        var options = options
        if isolation == .serializable {
            // If a query scans the table, the server assumes that it depends on every row, and
            // refuses transactions that do not conflict.
            options.settings.append(("enable_seqscan", "off"))
        }
        let connection = try Connection(address, options: options)
        observe(connection)
        let readsOnly = isolation == .readCommitted
        _ = try connection.executePipeline([
            PipelinedStatement(
                Connection.beginStatement(
                    readsOnly ? .repeatableRead : isolation, readsOnly: readsOnly)),
            // The first statement determines the state that the transaction sees.
            PipelinedStatement("SELECT 1"),
            PipelinedStatement(Connection.heldMark),
        ])
        return ServerConnections(holding: connection, of: self)
    }

    private func run<T>(
        _ body: (Connection) throws(ServerError) -> T, _ held: Held
    ) throws(ServerError) -> T {
        try held.connection.withLock { connection throws(ServerError) -> T in
            guard let connection else {
                throw ServerError(client: "the query generation is closed; pin the context again")
            }
            observe(connection)
            do throws(ServerError) { return try body(connection) } catch {
                if connection.isTransactionFailed {
                    try? connection.runScript(Connection.heldUndo)
                }
                throw error
            }
        }
    }
}

extension StatementKind {
    fileprivate var eventKind: StatementEvent.Kind {
        switch self {
        case .select: .select
        case .insert, .copy: .insert
        case .update: .update
        case .delete: .delete
        case .begin: .begin
        case .commit: .commit
        case .rollback: .rollback
        case .schema: .schema
        case .other: .other
        }
    }
}
