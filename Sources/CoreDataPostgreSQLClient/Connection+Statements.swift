import CPostgreSQL

/// A statement that the server has prepared for a connection.
final class PreparedStatement {
    let name: String
    let kind: StatementKind
    let types: ContiguousArray<UInt32>
    var lastUse: UInt64 = 0

    init(name: String, kind: StatementKind, types: ContiguousArray<UInt32>) {
        self.name = name
        self.kind = kind
        self.types = types
    }
}

extension Connection {
    /// Runs one statement.
    ///
    /// The first run of a text prepares it, in the same round trip. A text must always have
    /// parameters of the same types; with other types the statement is prepared again.
    @discardableResult package func execute(
        _ sql: String, _ parameters: Parameters? = nil
    ) throws(ServerError) -> QueryResult {
        let parameters = parameters ?? noParameters
        guard options.keepsStatements, let known = usable(sql, parameters) else {
            return try executePipeline([PipelinedStatement(sql, parameters)])[0]
        }
        let run = try Run(self, [known.kind])
        do throws(ServerError) {
            try send(known, parameters)
            let result = try collect(sql, known.kind)
            run.finish(sql, known.kind, parameters, result)
            return result
        } catch {
            let failure = run.failure(error)
            guard forgets(sql, after: failure), !isInTransaction else { throw failure }
            // The statement had no effect, so it is prepared and run again.
            return try executePipeline([PipelinedStatement(sql, parameters)])[0]
        }
    }

    /// The first column of the first row, or nil if no row exists or the value is NULL.
    package func firstText(
        _ sql: String, _ parameters: Parameters? = nil
    ) throws(ServerError) -> String? {
        let result = try execute(sql, parameters)
        return withExtendedLifetime(result) {
            result.rowCount == 0 || result[0, 0].isNull ? nil : result[0, 0].text
        }
    }

    /// Runs several statements without parameters that are separated by semicolons. Without
    /// statements for transactions in the script, the server runs the script as one transaction.
    package func runScript(_ sql: String) throws(ServerError) {
        try check(sql, noParameters)
        let run = try Run(self, [.other])
        do throws(ServerError) {
            guard library.table.pointee.PQsendQuery(handle, sql) != 0 else { throw sendingError }
            try flush()
            _ = try collect(sql, .other)
            statistics.statements[.other, default: 0] += 1
        } catch {
            throw run.failure(error)
        }
    }

    /// Returns the prepared statement for a text, if the types of its parameters fit.
    func usable(_ sql: String, _ parameters: Parameters) -> PreparedStatement? {
        guard let known = prepared[sql] else { return nil }
        guard known.types == parameters.kinds else {
            forget(sql)
            return nil
        }
        uses &+= 1
        known.lastUse = uses
        return known
    }

    private func send(
        _ statement: PreparedStatement, _ parameters: Parameters
    ) throws(ServerError) {
        let pq = library.table
        let isSent = parameters.withArguments { count, _, values, lengths, formats in
            pq.pointee.PQsendQueryPrepared(
                handle, statement.name, count, values, lengths, formats, 1)
        }
        guard isSent != 0 else { throw sendingError }
        try flush()
    }

    /// Forgets a prepared statement, which is deallocated on the server later.
    func forget(_ sql: String) {
        guard let old = prepared.removeValue(forKey: sql) else { return }
        outdatedNames.append(old.name)
    }

    /// Forgets a prepared statement that the server can no longer run.
    func forgets(_ sql: String, after error: ServerError) -> Bool {
        guard !isLost, error.isOutdatedPlan || error.isMissingStatement, prepared[sql] != nil
        else { return false }
        if error.isMissingStatement {
            prepared.removeValue(forKey: sql)
        } else {
            forget(sql)
        }
        return true
    }
}

/// One run of statements, from sending to the last answer.
struct Run {
    private let connection: Connection
    private let start: UInt64
    /// Whether the statements may take effect even if the connection is lost before the answer.
    private let mayCommit: Bool

    init(_ connection: Connection, _ kinds: [StatementKind]) throws(ServerError) {
        guard !connection.isLost else {
            throw ServerError(
                lost: "the connection to \(connection.address) is lost; open another one")
        }
        self.connection = connection
        let changes = kinds.contains { $0 != .select && $0 != .begin && $0 != .rollback }
        let isInTransaction = connection.isInTransaction || kinds.first == .begin
        mayCommit = kinds.contains(.commit) || !isInTransaction && changes
        start = connection.isObserved ? cpostgresql_nanoseconds() : 0
    }

    /// Counts and reports a statement.
    func finish(
        _ sql: String, _ kind: StatementKind, _ parameters: Parameters, _ result: QueryResult
    ) {
        finish(
            sql, kind, parameters,
            rows: kind == .select ? result.rowCount : result.affectedRows)
    }

    /// Counts and reports a statement that has returned or changed rows.
    func finish(_ sql: String, _ kind: StatementKind, _ parameters: Parameters, rows: Int) {
        connection.statistics.statements[kind, default: 0] += 1
        connection.statistics.rows += rows
        guard connection.isObserved else { return }
        connection.report(
            StatementRun(
                kind: kind, sql: sql,
                bindings: connection.recordsBindings ? parameters.descriptions : [], rows: rows,
                nanoseconds: cpostgresql_nanoseconds() - start))
    }

    /// Adds to an error whether the connection is lost and whether the outcome is unknown. Marks
    /// the connection as lost if the error says so.
    func failure(_ error: ServerError) -> ServerError {
        var error = error
        if connection.isLost { error.isConnectionLost = true }
        if error.isConnectionLost {
            connection.isLost = true
            error.isOutcomeUnknown = mayCommit
        }
        return error
    }
}
