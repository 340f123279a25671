import CPostgreSQL
import Dispatch
import Foundation
import Synchronization

/// Connections to one database that threads share.
///
/// The mutex guards the lists of idle connections and of waiting threads. A lent connection belongs
/// to the thread that took it. Threads that wait receive connections in the order of their calls.
///
/// Invariant: the number of idle and lent connections is at most the size; while threads wait, no
/// connection is idle.
package final class ConnectionPool: Sendable {
    package struct Limits: Sendable, Equatable {
        /// The maximum number of open connections.
        package var size = 8
        /// The time that a thread waits for a connection.
        package var waitMilliseconds: Int64 = 30_000
        /// The time after which an unused connection is closed.
        package var idleMilliseconds: Int64 = 60_000
        /// The time during which a lost server is tried again.
        package var reopenMilliseconds: Int64 = 5_000

        package init() {}

        /// Reads the options `pool`, `pool_wait` and `pool_idle` of an address; the times are in
        /// seconds.
        package init(_ address: ServerAddress) throws(ServerError) {
            if let size = try address.number("pool", in: 1...10_000) { self.size = size }
            let seconds = 0...1_000_000
            if let wait = try address.number("pool_wait", in: seconds) {
                waitMilliseconds = Int64(wait) * 1000
            }
            if let idle = try address.number("pool_idle", in: seconds) {
                idleMilliseconds = Int64(idle) * 1000
            }
        }
    }

    package struct Statistics: Sendable, Equatable {
        package internal(set) var idle = 0
        package internal(set) var lent = 0
        package internal(set) var opened = 0
        /// The number of connections that were lost or could not be reset.
        package internal(set) var lost = 0
        /// The number of calls that waited for a connection.
        package internal(set) var waits = 0
        /// The number of calls that received no connection in time.
        package internal(set) var timeouts = 0
        /// The number of failed attempts to open a connection.
        package internal(set) var failures = 0
        /// The sum of the statistics of all connections that are not lent.
        package internal(set) var connections = ConnectionStatistics()
    }

    private struct State {
        var idle: [Connection] = []
        var lent = 0
        var waiters: [Waiter] = []
        var statistics = Statistics()
        var isClosed = false
        var isClosingScheduled = false
    }

    private let state = Mutex(State())
    package let address: ServerAddress
    package let limits: Limits
    private let options: Connection.Options

    package init(
        _ address: ServerAddress, limits: Limits = Limits(),
        options: Connection.Options = Connection.Options()
    ) {
        self.address = address
        self.limits = limits
        self.options = options
    }

    package var statistics: Statistics {
        state.withLock { state in
            var result = state.statistics
            result.idle = state.idle.count
            result.lent = state.lent
            return result
        }
    }

    /// Runs the body with a connection.
    @discardableResult package func withConnection<T>(
        _ body: (Connection) throws(ServerError) -> T
    ) throws(ServerError) -> T {
        let connection = try take()
        defer { giveBack(connection) }
        return try body(connection)
    }
}

// MARK: Taking

extension ConnectionPool {
    /// A thread that waits for a connection.
    ///
    /// `@unchecked Sendable` because the pool's mutex guards the grant.
    private final class Waiter: @unchecked Sendable {
        let semaphore = DispatchSemaphore(value: 0)
        var grant: Grant?
    }

    private enum Grant {
        case connection(Connection)
        /// The permission to open a connection.
        case opening
    }

    /// Takes a connection, which must be returned with ``giveBack(_:)``.
    ///
    /// - Throws: an error if no connection becomes free in time or none can be opened.
    package func take() throws(ServerError) -> Connection {
        if case .connection(let connection) = try grant() {
            if connection.isAlive() { return connection }
            state.withLock { $0.statistics.lost += 1 }
        }
        do {
            let connection = try open()
            state.withLock { $0.statistics.opened += 1 }
            return connection
        } catch {
            releaseGrant()
            throw error
        }
    }

    private func grant() throws(ServerError) -> Grant {
        let found = state.withLock { state -> (Grant?, Waiter?) in
            if state.isClosed { return (nil, nil) }
            if let connection = state.idle.popLast() {
                state.lent += 1
                return (.connection(connection), nil)
            }
            if state.lent < limits.size {
                state.lent += 1
                return (.opening, nil)
            }
            let waiter = Waiter()
            state.waiters.append(waiter)
            state.statistics.waits += 1
            return (nil, waiter)
        }
        if let grant = found.0 { return grant }
        guard let waiter = found.1 else { throw closedError }
        let time = DispatchTime.now() + .milliseconds(Int(min(limits.waitMilliseconds, .max >> 24)))
        _ = waiter.semaphore.wait(timeout: time)
        let (grant, isClosed) = state.withLock { state in
            if waiter.grant == nil {
                state.waiters.removeAll { $0 === waiter }
                if !state.isClosed { state.statistics.timeouts += 1 }
            }
            return (waiter.grant, state.isClosed)
        }
        if let grant { return grant }
        throw isClosed ? closedError : exhaustedError
    }

    private var closedError: ServerError {
        ServerError(client: "the connections to \(address) are closed; open the store again")
    }

    private var exhaustedError: ServerError {
        ServerError(
            client: "none of the \(limits.size) connections to \(address) became free within"
                + " \(limits.waitMilliseconds) milliseconds; raise pool or pool_wait in the"
                + " address, or use fewer threads")
    }

    /// Opens a connection. A server that was reached before is tried again for a while.
    private func open() throws(ServerError) -> Connection {
        let deadline = Deadline(milliseconds: limits.reopenMilliseconds)
        var delay: Int64 = 20
        let longestDelay: Int64 = 1000
        while true {
            do throws(ServerError) {
                return try Connection(address, options: options)
            } catch {
                let wasReached = state.withLock { state in
                    state.statistics.failures += 1
                    return state.statistics.opened > 0
                }
                guard error.mayPass(wasReached: wasReached), !deadline.hasPassed else {
                    throw error
                }
                // Waiting times differ, so that many programs do not try at the same moments.
                let wait = min(Int64.random(in: delay / 2...delay), deadline.millisecondsLeft)
                Thread.sleep(forTimeInterval: Double(wait) / 1000)
                delay = min(2 * delay, longestDelay)
            }
        }
    }
}

extension ServerError {
    /// Whether opening a connection may succeed later.
    fileprivate func mayPass(wasReached: Bool) -> Bool {
        ["57P03", "53300"].contains(sqlState) || wasReached && sqlState.hasPrefix("08")
    }
}

// MARK: Returning

extension ConnectionPool {
    /// Returns a connection that was taken. A lost connection is thrown away. An open transaction
    /// is rolled back.
    package func giveBack(_ connection: Connection) {
        let isUsable = connection.resetForReuse()
        connection.idleSince = cpostgresql_nanoseconds()
        let isKept = state.withLock { state in
            state.statistics.connections += connection.statistics
            connection.statistics = ConnectionStatistics()
            if !isUsable { state.statistics.lost += 1 }
            guard isUsable, !state.isClosed else { return false }
            pass(.connection(connection), &state)
            return true
        }
        if isKept { scheduleClosing() } else { releaseGrant() }
    }

    /// Passes a grant to the first waiting thread, or ends it.
    private func pass(_ grant: Grant, _ state: inout State) {
        if !state.waiters.isEmpty {
            let waiter = state.waiters.removeFirst()
            waiter.grant = grant
            waiter.semaphore.signal()
            return
        }
        state.lent -= 1
        if case .connection(let connection) = grant { state.idle.append(connection) }
    }

    private func releaseGrant() { state.withLock { pass(.opening, &$0) } }

    /// Closes the idle connections, and refuses further calls. Lent connections are closed when
    /// they are returned.
    package func close() {
        let closed = state.withLock { state in
            state.isClosed = true
            for waiter in state.waiters { waiter.semaphore.signal() }
            state.waiters = []
            defer { state.idle = [] }
            return state.idle
        }
        // The connections are released outside of the lock, because closing uses the network.
        withExtendedLifetime(closed) {}
    }

    private func scheduleClosing() {
        let isFirst = state.withLock { state in
            defer { state.isClosingScheduled = true }
            return !state.isClosingScheduled && !state.idle.isEmpty
        }
        guard isFirst else { return }
        let limit = DispatchTimeInterval.milliseconds(Int(idleMilliseconds))
        DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [weak self] in
            self?.closeUnused()
        }
    }

    /// The limit, bounded so that the end of the time fits into 64 bits of nanoseconds.
    private var idleMilliseconds: Int64 { min(max(0, limits.idleMilliseconds), .max >> 24) }

    private func closeUnused() {
        let limit = UInt64(idleMilliseconds) * 1_000_000
        let now = cpostgresql_nanoseconds()
        let closed = state.withLock { state in
            state.isClosingScheduled = false
            let old = state.idle.filter { now >= $0.idleSince + limit }
            state.idle.removeAll { now >= $0.idleSince + limit }
            return old
        }
        withExtendedLifetime(closed) {}
        scheduleClosing()
    }
}

extension Connection {
    /// Ends the transaction and removes settings, locks and temporary tables; false if the
    /// connection cannot be used again.
    fileprivate func resetForReuse() -> Bool {
        guard !isLost else { return false }
        do {
            try rollback()
            if needsReset {
                try runScript(
                    "CLOSE ALL; RESET ALL; UNLISTEN *; SELECT pg_advisory_unlock_all();"
                        + " DISCARD TEMP; DISCARD SEQUENCES; \(settingsScript)")
                needsReset = false
            }
            observe(nil)
            return true
        } catch {
            return false
        }
    }
}
