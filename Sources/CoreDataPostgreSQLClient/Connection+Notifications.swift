import CPostgreSQL

/// A notification that a connection has received.
package struct ServerNotification: Sendable, Equatable {
    package let channel: String
    package let payload: String
    /// The process on the server whose connection sent the notification.
    package let serverProcess: Int32
}

extension Connection {
    /// Listens to a channel until the connection is closed or reset. Notifications that are sent
    /// before the statement has ended are not received.
    package func listen(to channel: String) throws(ServerError) {
        needsReset = true
        try execute("LISTEN \(Self.identifier(channel))")
    }

    /// Waits for notifications.
    ///
    /// - Parameters:
    ///   - milliseconds: the longest time to wait; nil for no limit.
    ///   - waker: a descriptor that ends the wait when it becomes readable, or -1.
    /// - Returns: the notifications, or none after the time or after a call of the waker.
    /// - Throws: an error if the connection is lost.
    package func waitForNotifications(
        milliseconds: Int64?, waker: Int32 = -1
    ) throws(ServerError) -> [ServerNotification] {
        let deadline = Deadline(milliseconds: milliseconds)
        let pq = library.table
        while true {
            let found = receivedNotifications()
            if !found.isEmpty { return found }
            guard !isLost else { throw sendingError }
            let ready = cpostgresql_wait(
                pq.pointee.PQsocket(handle), waker, CPOSTGRESQL_READABLE, deadline.millisecondsLeft)
            if ready == 0 || ready & CPOSTGRESQL_WOKEN != 0 { return [] }
            if ready < 0 || pq.pointee.PQconsumeInput(handle) == 0 {
                isLost = true
                throw sendingError
            }
        }
    }

    /// The notifications that were received together with the results of statements.
    package func receivedNotifications() -> [ServerNotification] {
        let pq = library.table
        // Notifications are separated from the other messages by this call.
        _ = pq.pointee.PQisBusy(handle)
        var found: [ServerNotification] = []
        while let next = pq.pointee.PQnotifies(handle) {
            found.append(
                ServerNotification(
                    channel: String(cString: next.pointee.relname),
                    payload: next.pointee.extra.map { String(cString: $0) } ?? "",
                    serverProcess: next.pointee.be_pid))
            pq.pointee.PQfreemem(next)
        }
        statistics.notifications += found.count
        return found
    }

    /// Whether the server has not closed the connection. The call does not wait.
    package func isAlive() -> Bool {
        let pq = library.table
        guard !isLost, pq.pointee.PQstatus(handle) == CONNECTION_OK else { return false }
        let ready = cpostgresql_wait(pq.pointee.PQsocket(handle), -1, CPOSTGRESQL_READABLE, 0)
        if ready == 0 { return true }
        guard ready > 0, pq.pointee.PQconsumeInput(handle) != 0 else {
            isLost = true
            return false
        }
        // The server sends a last message and then closes the connection. Both may have arrived.
        _ = pq.pointee.PQisBusy(handle)
        let again = cpostgresql_wait(pq.pointee.PQsocket(handle), -1, CPOSTGRESQL_READABLE, 0)
        if again != 0, pq.pointee.PQconsumeInput(handle) == 0 { isLost = true }
        return !isLost
    }
}
