import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore

/// Batch requests. Each runs in one transaction and creates no objects.
extension PostgreSQLStore: BatchStore {
    func run(_ batch: BatchPlan, origin: WriteOrigin) throws(CoreDataError) -> BatchOutcome {
        try checkWritable()
        switch batch {
        case .insert(let insert):
            let inserter = try BatchInserter(self, insert)
            return try transaction(origin) { connection, history throws(Failure) in
                try Self.failing { () throws(ServerError) in
                    try inserter.run(connection, &history)
                }
            }
        case .update(let update):
            return try transaction(origin) { connection, history throws(Failure) in
                let result = try run(update.plan, connection) { builder throws(QueryRefusal) in
                    try BatchUpdateBuilder(update.assigned, rows: builder).make()
                }
                let keys = texts[update.plan.entity.index].reader.keys(result)
                history.updated(keys, slots: update.assignments.map(\.slot))
                return keys
            }
        case .delete(let delete):
            // A deletion can change further rows, which refer to the deleted ones.
            return try transaction(origin, changesOthers: true) {
                connection, history throws(Failure) in
                let keys = try keys(of: delete, connection)
                var deleter = BatchDeleter(ServerDeletionSource(self, connection))
                try deleter.run(keys, &history)
                return keys
            }
        }
    }

    static func failing<T>(
        _ body: () throws(ServerError) -> T
    ) throws(Failure) -> T {
        do throws(ServerError) { return try body() } catch { throw .server(error) }
    }

    /// The number of times that a transaction runs if others conflict with it.
    private static let attempts = 5

    private func transaction(
        _ origin: WriteOrigin, changesOthers: Bool = false,
        _ body: (Connection, inout HistoryRecord) throws(Failure) -> ContiguousArray<ObjectKey>
    ) throws(CoreDataError) -> BatchOutcome {
        var attempt = 1
        while true {
            do throws(Failure) {
                return try oneTransaction(origin, changesOthers, body)
            } catch {
                guard case .server(let problem) = error, problem.isTransactionConflict,
                    attempt < Self.attempts
                else { throw error.coreDataError(self) }
                attempt += 1
            }
        }
    }

    private func oneTransaction(
        _ origin: WriteOrigin, _ changesOthers: Bool,
        _ body: (Connection, inout HistoryRecord) throws(Failure) -> ContiguousArray<ObjectKey>
    ) throws(Failure) -> BatchOutcome {
        var failure: Failure?
        let outcome = try Self.failing { () throws(ServerError) in
            try connections.run { connection throws(ServerError) -> BatchOutcome? in
                try connection.begin()
                do throws(Failure) {
                    var record = HistoryRecord(
                        origin: origin, isOn: tracksHistory, layout: layout)
                    let keys = try body(connection, &record)
                    try Self.failing { () throws(ServerError) in
                        _ = try connection.executePipeline(
                            try history.recording(record, schema)
                                + announcing(
                                    changesOthers && !keys.isEmpty ? nil : Array(keys))
                                + [PipelinedStatement(connection.commitStatement)])
                    }
                    return BatchOutcome(keys: keys, computed: [])
                } catch {
                    failure = error
                    try? connection.rollback()
                    return nil
                }
            }
        }
        if let outcome { return outcome }
        throw failure
            ?? .refused(CoreDataError(.storeOperation, "A batch request ended without a result."))
    }

    /// Runs the statement for a plan's rows in an open transaction. Rows are tested in memory for
    /// conditions that SQL cannot express.
    private func run(
        _ plan: FetchPlan, _ connection: Connection,
        _ make: (SelectBuilder) throws(QueryRefusal) -> Fragment
    ) throws(Failure) -> QueryResult {
        let builder = SelectBuilder(plan: plan.stored(in: layout), schema: schema)
        let statement: SpelledStatement
        do throws(QueryRefusal) {
            statement = try make(builder).spelled(in: schema.dialect)
        } catch {
            do throws(CoreDataError) {
                statement = try ResidueTest(
                    try Residue(of: builder, after: error),
                    source: ServerResidueSource(self, connection)
                ).statement(make)
            } catch {
                throw .refused(error)
            }
        }
        return try Self.failing { () throws(ServerError) in try Self.run(statement, connection) }
    }

    private func keys(
        of delete: BatchPlan.Delete, _ connection: Connection
    ) throws(Failure) -> ContiguousArray<ObjectKey> {
        let texts = texts[delete.plan.entity.index]
        guard let keys = delete.keys else {
            let result = try run(delete.plan, connection) { builder throws(QueryRefusal) in
                try builder.select(texts.keyList)
            }
            return texts.reader.keys(result)
        }
        let parameters = Parameters()
        parameters.append(int8s: keys)
        return try Self.failing { () throws(ServerError) in
            texts.reader.keys(
                try connection.execute(
                    "SELECT \(texts.keyList) FROM \(texts.reader.entity.tableName) t0"
                        + " WHERE t0.\(schema.names.key) = ANY($1)"
                        + " ORDER BY t0.\(schema.names.key)", parameters))
        }
    }
}

extension BatchPlan.Update {
    /// Converts the assigned values to the form in which columns store them.
    fileprivate var assigned: [(slot: Int, value: BatchUpdateBuilder.Assigned)] {
        assignments.map { assignment in
            switch assignment.value {
            case .value(let value):
                (assignment.slot, .value(Binding(value, plan.entity.values[assignment.slot].kind)))
            case .expression(let expression): (assignment.slot, .expression(expression))
            }
        }
    }
}
