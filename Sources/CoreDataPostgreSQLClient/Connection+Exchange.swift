import CPostgreSQL

/// Sending to the server and waiting for its answers. The socket never blocks, so that the client
/// reads answers while it sends, and so that a silent server is noticed.
extension Connection {
    /// The error of a call that sends.
    var sendingError: ServerError {
        let pq = library.table
        let text = pq.pointee.PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        let reason = ServerError.oneLine(address.redacted(text))
        guard pq.pointee.PQstatus(handle) == CONNECTION_OK else { return lossError(reason) }
        return ServerError(client: reason)
    }

    /// Refuses a text that libpq would cut off, and parameters that the protocol cannot number.
    func check(_ sql: String, _ parameters: Parameters) throws(ServerError) {
        if sql.utf8.contains(0) { throw .nulCharacter }
        let most = 65_535
        if parameters.count > most {
            throw ServerError(
                client: "the statement has \(parameters.count) parameters, and PostgreSQL allows"
                    + " \(most); use an array as one parameter", sql: sql)
        }
    }

    private func lossError(_ reason: String) -> ServerError {
        isLost = true
        return ServerError(
            lost: "the connection to \(address) is lost: \(reason); open another one")
    }

    private func wait(for wanted: Int32) throws(ServerError) -> Int32 {
        let limit = options.silenceMilliseconds
        let ready = cpostgresql_wait(
            library.table.pointee.PQsocket(handle), -1, wanted, limit ?? -1)
        if ready > 0 { return ready }
        throw lossError(
            ready == 0
                ? "the server was silent for \(limit ?? 0) milliseconds"
                : "the system cannot wait for the socket")
    }

    /// Sends the rest of the queued bytes.
    func flush() throws(ServerError) {
        let pq = library.table
        while true {
            let state = pq.pointee.PQflush(handle)
            if state == 0 { return }
            guard state > 0 else { throw sendingError }
            let ready = try wait(for: CPOSTGRESQL_READABLE | CPOSTGRESQL_WRITABLE)
            // The server may stop reading until the client has read the server's answers.
            if ready & CPOSTGRESQL_READABLE != 0, pq.pointee.PQconsumeInput(handle) == 0 {
                throw sendingError
            }
        }
    }

    /// The next result, or nil at the end of a statement's results.
    func nextResult() throws(ServerError) -> QueryResult? {
        let pq = library.table
        while pq.pointee.PQisBusy(handle) != 0 {
            _ = try wait(for: CPOSTGRESQL_READABLE)
            // After a failure, the next result contains the last error of the server.
            if pq.pointee.PQconsumeInput(handle) == 0 { break }
        }
        return pq.pointee.PQgetResult(handle).map { QueryResult($0, library) }
    }

    /// Reads the results until the end, and returns the last one.
    ///
    /// - Throws: the first error.
    func collect(_ sql: String, _ kind: StatementKind) throws(ServerError) -> QueryResult {
        statistics.roundTrips += 1
        var last: QueryResult?
        var failure: ServerError?
        while let result = try nextResult() {
            if let error = problem(result, sql, kind) {
                failure = failure ?? error
                if isLost { break }
            }
            last = result
        }
        noteLoss()
        if let failure { throw failure }
        guard let last else { throw lossError("the server sent no result") }
        return last
    }

    /// Notices that the connection was lost after the last result.
    func noteLoss() {
        if library.table.pointee.PQstatus(handle) != CONNECTION_OK { isLost = true }
    }

    /// The error of a result; nil if the statement succeeded.
    func problem(_ result: QueryResult, _ sql: String, _ kind: StatementKind) -> ServerError? {
        let pq = library.table
        switch pq.pointee.PQresultStatus(result.handle) {
        case PGRES_COMMAND_OK:
            guard kind == .commit, result.command == "ROLLBACK" else { return nil }
            var error = ServerError(
                client: "the transaction was rolled back, because one of its statements had"
                    + " failed; roll it back and begin another one", sql: sql)
            error.sqlState = "25P02"
            return error
        case PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_TUPLES_CHUNK, PGRES_EMPTY_QUERY,
            PGRES_PIPELINE_SYNC:
            return nil
        case PGRES_COPY_IN:
            _ = pq.pointee.PQputCopyEnd(handle, "the statement was run without data")
            return nil
        case PGRES_COPY_OUT:
            return lossError("COPY … TO STDOUT is not supported; use SELECT")
        default:
            noteLoss()
            var error = ServerError(result.handle, library, sql: sql)
            if error.sqlState.isEmpty || isLost { error.isConnectionLost = true }
            if error.isConnectionLost { isLost = true }
            error.message = address.redacted(error.message)
            return error
        }
    }
}
