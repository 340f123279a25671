import CPostgreSQL

/// Cancels the statement that a connection runs, from any thread.
///
/// The server is asked through a second connection. The statement then fails with an error with
/// `isCancelled`, unless it ends first. The owner must ensure that the connection does not yet run
/// another statement, which would be cancelled instead.
///
/// `@unchecked Sendable` because libpq does not change the object after its creation.
package final class Canceller: @unchecked Sendable {
    private let handle: OpaquePointer
    private let library: Library

    package init(_ connection: Connection) throws(ServerError) {
        library = connection.library
        guard let made = library.table.pointee.PQgetCancel(connection.handle) else {
            throw ServerError(lost: "a lost connection has no statement to cancel")
        }
        handle = made
    }

    deinit { library.table.pointee.PQfreeCancel(handle) }

    /// Asks the server to cancel the statement, and waits until the server has received the
    /// request.
    package func cancel() throws(ServerError) {
        let capacity = 256
        let problem = withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { text in
            // Safe: the allocation is not empty.
            let start = text.baseAddress!
            let isSent = library.table.pointee.PQcancel(handle, start, Int32(capacity)) != 0
            return isSent ? nil : String(cString: start)
        }
        if let problem {
            throw ServerError(
                client: "the statement was not cancelled: \(ServerError.oneLine(problem))")
        }
    }
}
