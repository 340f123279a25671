import CPostgreSQL

/// A statement of a pipeline.
package struct PipelinedStatement {
    package let sql: String
    package let parameters: Parameters
    let kind: StatementKind

    package init(_ sql: String, _ parameters: Parameters = Parameters()) {
        self.sql = sql
        self.parameters = parameters
        kind = StatementKind(sql: sql)
    }
}

extension Connection {
    /// The maximum number of statements that stay prepared.
    private static var preparedMax: Int { 256 }

    /// A command of a pipeline, which has one result.
    private enum Command {
        case run(index: Int)
        case prepare(index: Int, PreparedStatement)
        case deallocate(String)
    }

    /// Runs several statements in one round trip, and returns their results.
    ///
    /// Outside of a transaction the statements are one transaction. The first error ends the
    /// pipeline; its `statementIndex` is the index of the statement that failed. An open
    /// transaction must then be rolled back.
    @discardableResult package func executePipeline(
        _ statements: [PipelinedStatement]
    ) throws(ServerError) -> [QueryResult] {
        if statements.isEmpty { return [] }
        if let copy = statements.first(where: { $0.kind == .copy }) {
            throw ServerError(
                client: "COPY transfers rows and cannot be run like other statements; call"
                    + " copy(_:columnCount:_:) to add rows, or use SELECT", sql: copy.sql)
        }
        for statement in statements where prepared[statement.sql] == nil {
            try check(statement.sql, statement.parameters)
        }
        while true {
            let run = try Run(self, statements.map(\.kind))
            do throws(ServerError) {
                let results = try exchange(statements)
                for (statement, result) in zip(statements, results) {
                    run.finish(statement.sql, statement.kind, statement.parameters, result)
                }
                return results
            } catch {
                let failure = run.failure(error)
                // The statements before an outdated one were rolled back, so all are run again.
                guard let index = failure.statementIndex,
                    forgets(statements[index].sql, after: failure), !isInTransaction
                else { throw failure }
            }
        }
    }

    private func exchange(
        _ statements: [PipelinedStatement]
    ) throws(ServerError) -> [QueryResult] {
        let pq = library.table
        guard pq.pointee.PQenterPipelineMode(handle) != 0 else { throw sendingError }
        let commands: [Command]
        do throws(ServerError) {
            commands = try queue(statements)
            guard pq.pointee.PQpipelineSync(handle) != 0 else { throw sendingError }
            try flush()
        } catch {
            // Commands are already queued, so the connection cannot be used for others.
            isLost = true
            throw error
        }
        statistics.roundTrips += 1
        let outcome = try receive(commands, statements)
        guard isLost || pq.pointee.PQexitPipelineMode(handle) != 0 else { throw sendingError }
        if let failure = outcome.failure { throw failure }
        return outcome.results
    }

    // MARK: Sending

    private func queue(_ statements: [PipelinedStatement]) throws(ServerError) -> [Command] {
        var commands: [Command] = []
        commands.reserveCapacity(2 * statements.count)
        for name in outdatedNames where !isTransactionFailed {
            try queue("DEALLOCATE \(name)", Parameters())
            commands.append(.deallocate(name))
        }
        for (index, statement) in statements.enumerated() {
            let parameters = statement.parameters
            guard options.keepsStatements, statement.kind.isPrepared else {
                try queue(statement.sql, parameters)
                commands.append(.run(index: index))
                continue
            }
            if usable(statement.sql, parameters) == nil {
                commands.append(.prepare(index: index, try prepare(statement)))
            }
            // Safe: the statement was found or prepared above.
            let known = prepared[statement.sql]!
            let pq = library.table
            let isSent = parameters.withArguments { count, _, values, lengths, formats in
                pq.pointee.PQsendQueryPrepared(
                    handle, known.name, count, values, lengths, formats, 1)
            }
            guard isSent != 0 else { throw sendingError }
            commands.append(.run(index: index))
        }
        return commands
    }

    private func queue(_ sql: String, _ parameters: Parameters) throws(ServerError) {
        let pq = library.table
        let isSent = parameters.withArguments { count, types, values, lengths, formats in
            pq.pointee.PQsendQueryParams(handle, sql, count, types, values, lengths, formats, 1)
        }
        guard isSent != 0 else { throw sendingError }
    }

    private func prepare(
        _ statement: PipelinedStatement
    ) throws(ServerError) -> PreparedStatement {
        if prepared.count >= Self.preparedMax, let oldest = prepared.min(by: Self.isOlder) {
            forget(oldest.key)
        }
        preparedCount += 1
        uses &+= 1
        let made = PreparedStatement(
            name: "f\(preparedCount)", kind: statement.kind, types: statement.parameters.kinds)
        made.lastUse = uses
        let pq = library.table
        let isSent = made.types.withUnsafeBufferPointer {
            pq.pointee.PQsendPrepare(
                handle, made.name, statement.sql, Int32($0.count), $0.baseAddress)
        }
        guard isSent != 0 else { throw sendingError }
        prepared[statement.sql] = made
        return made
    }

    private static func isOlder(
        _ first: (key: String, value: PreparedStatement),
        _ second: (key: String, value: PreparedStatement)
    ) -> Bool { first.value.lastUse < second.value.lastUse }

    // MARK: Receiving

    private struct Outcome {
        var results: [QueryResult] = []
        var failure: ServerError?
    }

    private func receive(
        _ commands: [Command], _ statements: [PipelinedStatement]
    ) throws(ServerError) -> Outcome {
        var outcome = Outcome()
        for command in commands where !isLost {
            let index: Int? =
                switch command {
                case .run(let index), .prepare(let index, _): index
                case .deallocate: nil
                }
            let result = try commandResult()
            guard let result else { break }
            let isAborted =
                library.table.pointee.PQresultStatus(result.handle) == PGRES_PIPELINE_ABORTED
            let statement = index.map { statements[$0] }
            let error =
                isAborted ? nil : problem(result, statement?.sql ?? "", statement?.kind ?? .other)
            if var error, outcome.failure == nil {
                error.statementIndex = index
                outcome.failure = error
            }
            let isDone = error == nil && !isAborted
            settle(command, statement, isDone: isDone)
            if case .run = command, isDone { outcome.results.append(result) }
        }
        if let error = try synchronisationError(), outcome.failure == nil {
            outcome.failure = error
        }
        noteLoss()
        if outcome.failure == nil, isLost { outcome.failure = sendingError }
        return outcome
    }

    /// Reads the answer to the end of the pipeline (the synchronisation). Outside of a transaction,
    /// the server commits there, so a deferred constraint can fail.
    private func synchronisationError() throws(ServerError) -> ServerError? {
        var error: ServerError?
        while !isLost, let result = try nextResult() {
            if library.table.pointee.PQresultStatus(result.handle) == PGRES_PIPELINE_SYNC { break }
            error = error ?? problem(result, "", .commit)
            // The result of an error is followed by nil.
            _ = try nextResult()
        }
        return error
    }

    /// The result of a command. Each result is followed by nil.
    private func commandResult() throws(ServerError) -> QueryResult? {
        guard let result = try nextResult() else {
            noteLoss()
            return nil
        }
        let status = library.table.pointee.PQresultStatus(result.handle)
        if status != PGRES_PIPELINE_SYNC { while try nextResult() != nil {} }
        return result
    }

    private func settle(
        _ command: Command, _ statement: PipelinedStatement?, isDone: Bool
    ) {
        switch command {
        case .prepare(_, let made):
            if isDone {
                statistics.prepares += 1
            } else if let sql = statement?.sql, prepared[sql] === made {
                prepared.removeValue(forKey: sql)
            }
        case .deallocate(let name):
            if isDone { outdatedNames.removeAll { $0 == name } }
        case .run: break
        }
    }
}

extension StatementKind {
    /// Whether statements of the kind stay prepared. Other kinds are not repeated, or cannot be
    /// prepared.
    fileprivate var isPrepared: Bool {
        switch self {
        case .select, .insert, .update, .delete, .begin, .commit, .rollback: true
        case .copy, .schema, .other: false
        }
    }
}
