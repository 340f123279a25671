import CPostgreSQL

extension Connection {
    /// The number of rows of a piece, if libpq can divide a result into pieces of several rows.
    private static var rowsOfPiece: Int32 { 256 }

    /// Runs a SELECT with a large result, and passes its rows to the body in pieces, so that memory
    /// holds only one piece. Before libpq 17 each piece is one row.
    ///
    /// The statement does not stay prepared. If the body returns false, the statement is cancelled.
    package func forEachPiece(
        _ sql: String, _ parameters: Parameters? = nil, _ body: (QueryResult) -> Bool
    ) throws(ServerError) {
        let parameters = parameters ?? noParameters
        try check(sql, parameters)
        let run = try Run(self, [.select])
        do throws(ServerError) {
            let rows = try stream(sql, parameters, body)
            statistics.statements[.select, default: 0] += 1
            statistics.rows += rows
        } catch {
            throw run.failure(error)
        }
    }

    private func stream(
        _ sql: String, _ parameters: Parameters, _ body: (QueryResult) -> Bool
    ) throws(ServerError) -> Int {
        let pq = library.table
        let isSent = parameters.withArguments { count, types, values, lengths, formats in
            pq.pointee.PQsendQueryParams(handle, sql, count, types, values, lengths, formats, 1)
        }
        guard isSent != 0 else { throw sendingError }
        let isDivided =
            pq.pointee.PQsetChunkedRowsMode?(handle, Self.rowsOfPiece)
            ?? pq.pointee.PQsetSingleRowMode(handle)
        assert(isDivided != 0, "the result cannot be read in pieces")
        try flush()
        statistics.roundTrips += 1
        var rows = 0
        var wantsMore = true
        var failure: ServerError?
        while let result = try nextResult() {
            if let error = problem(result, sql, .select) {
                failure = failure ?? error
                if isLost { break }
            } else if wantsMore, result.rowCount > 0 {
                rows += result.rowCount
                wantsMore = body(result)
                if !wantsMore { try Canceller(self).cancel() }
            }
        }
        noteLoss()
        if let failure, wantsMore || !failure.isCancelled { throw failure }
        return rows
    }
}
