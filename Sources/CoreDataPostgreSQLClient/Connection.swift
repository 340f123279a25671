import CPostgreSQL
import CoreDataTrace

/// An open connection to a server.
///
/// A connection has no lock; its owner lets one thread at a time use it. Only a ``Canceller`` may
/// be used by other threads at the same time. After an error with `isConnectionLost` the connection
/// can only be released.
package final class Connection {
    package struct Options: Sendable {
        /// The time limit for opening the connection. The address can have another limit.
        package var openingMilliseconds: Int64 = 10_000
        /// The time after which the server cancels a statement; 0 for no limit.
        package var statementMilliseconds = 0
        /// The time that a statement waits for a lock; 0 for no limit.
        package var lockMilliseconds = 0
        /// The time after which a silent server counts as lost; nil for no limit. TCP has its own
        /// limits, which are longer.
        package var silenceMilliseconds: Int64?
        /// Whether statements stay prepared. A pooler that changes the server's connection after
        /// each transaction does not allow this.
        package var keepsStatements = true
        /// The name under which the server lists the connection.
        package var applicationName = "faultline"
        /// Settings of the server for the connection, as `SET` expects them.
        package var settings: [(name: String, value: String)] = []

        package init() {}
    }

    let library: Library
    let handle: OpaquePointer
    package let address: ServerAddress
    package let options: Options
    /// The statements that the server has prepared, by their text.
    var prepared: [String: PreparedStatement] = [:]
    /// Names of statements that are no longer in `prepared`, but that the server still has.
    var outdatedNames: [String] = []
    var preparedCount = 0
    var uses: UInt64 = 0
    package internal(set) var statistics = ConnectionStatistics()
    /// Whether the connection is lost.
    package internal(set) var isLost = false
    /// Whether the connection has settings, locks or temporary tables that the next user of the
    /// connection must not see. A pool then resets the connection.
    package var needsReset = false
    /// The hook that is called for each run of a statement; nil if runs are not observed.
    private var hook: ((StatementRun) -> Void)?
    /// Whether reports include the parameters as text.
    package var recordsBindings = false
    /// Whether an outer transaction is open; see ``hold()``.
    var isHeld = false
    let noParameters = Parameters()
    /// The time at which a pool received the connection.
    var idleSince: UInt64 = 0

    /// Opens a connection.
    ///
    /// The system looks up the names of hosts without a time limit.
    package init(
        _ address: ServerAddress, options: Options = Options(), library: Library? = nil
    ) throws(ServerError) {
        self.address = address
        self.options = options
        if let library { self.library = library } else { self.library = try Library.load() }
        handle = try Self.open(address, options, self.library)
        receiveNotices()
        do { try runScript(settingsScript) } catch {
            finish()
            throw error
        }
    }

    deinit { finish() }

    private func finish() {
        guard !isFinished else { return }
        isFinished = true
        library.table.pointee.PQfinish(handle)
    }

    private var isFinished = false

    /// The statements that apply the options.
    var settingsScript: String {
        var settings = [("client_min_messages", "warning")]
        settings.append(("statement_timeout", "\(options.statementMilliseconds)"))
        settings.append(("lock_timeout", "\(options.lockMilliseconds)"))
        settings += options.settings.map { ($0.name, $0.value) }
        return settings.map { "SET \($0) = \(Self.literal($1))" }.joined(separator: "; ")
    }

    /// The process on the server that serves the connection.
    package var serverProcess: Int32 { library.table.pointee.PQbackendPID(handle) }

    /// The version of the server, such as 150004 for 15.4.
    package var serverVersion: Int { Int(library.table.pointee.PQserverVersion(handle)) }

    /// Whether a transaction is open, even if one of its statements has failed.
    package var isInTransaction: Bool {
        let status = transactionStatus
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// Whether a statement of the open transaction has failed, so that only a rollback is possible.
    package var isTransactionFailed: Bool { transactionStatus == PQTRANS_INERROR }

    private var transactionStatus: Int32 { library.table.pointee.PQtransactionStatus(handle) }

    /// Sets the hook that is called for each run of a statement; nil ends the observation.
    package func observe(_ hook: ((StatementRun) -> Void)?) { self.hook = hook }

    package var isObserved: Bool { hook != nil }

    func report(_ run: StatementRun) { hook?(run) }

    /// Writes the server's warnings to the log, because libpq would print them.
    private func receiveNotices() {
        _ = library.table.pointee.PQsetNoticeReceiver(
            handle,
            { context, notice in
                guard let context, let notice else { return }
                let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                let text = ServerError(notice, connection.library, sql: "")
                EngineLog.note("the server of \(connection.address) reports: \(text)")
            },
            Unmanaged.passUnretained(self).toOpaque())
    }
}

/// Names and texts in SQL.
extension Connection {
    /// A name as an SQL identifier.
    package static func identifier(_ name: String) -> String {
        "\"\(name.replacing("\"", with: "\"\""))\""
    }

    /// A text as an SQL literal.
    package static func literal(_ text: String) -> String {
        let quoted = "'\(text.replacing("'", with: "''"))'"
        return text.contains("\\") ? " E\(quoted.replacing("\\", with: "\\\\"))" : quoted
    }
}

// `@unchecked Sendable` because its owner (a store, or the pool that lends a connection to one
// caller at a time) lets one thread at a time use it.
extension Connection: @unchecked Sendable {}
