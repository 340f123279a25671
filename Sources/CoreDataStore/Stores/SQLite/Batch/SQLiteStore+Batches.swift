import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// Batch requests. Each runs in one transaction and creates no objects.
extension SQLiteStore: BatchStore {
    package func run(
        _ batch: BatchPlan, origin: WriteOrigin
    ) throws(CoreDataError) -> BatchOutcome {
        try checkWritable()
        switch batch {
        case .insert(let insert):
            return try transaction(origin) { connection, history throws(SQLiteError) in
                try BatchInserter(store: self, batch: insert, connection: connection)
                    .run(&history)
            }
        case .update(let update):
            return try transaction(
                origin, update.plan,
                { builder throws(QueryRefusal) in
                    try BatchUpdateBuilder(update.assigned, rows: builder).make()
                },
                { connection, statement, history throws(SQLiteError) in
                    let keys = try changedKeys(statement, update.plan.entity, connection)
                    history.updated(keys, slots: update.assignments.map(\.slot))
                    return keys
                })
        case .delete(let delete):
            let texts = statements[delete.plan.entity]
            return try transaction(
                origin, delete.plan,
                { builder throws(QueryRefusal) in try builder.select(texts.keyList) },
                { connection, select, history throws(SQLiteError) in
                    let keys = try keys(of: delete, select, connection)
                    var deleter = BatchDeleter(SQLiteDeletionSource(self, connection))
                    try deleter.run(keys, &history)
                    return keys
                })
        }
    }

    /// Runs a batch in one transaction, and creates its SQL statement before. If conditions must be
    /// tested in memory, the statement is created inside the transaction.
    private func transaction(
        _ origin: WriteOrigin, _ plan: FetchPlan,
        _ make: (SelectBuilder) throws(QueryRefusal) -> Fragment,
        _ body: (Connection, SpelledStatement, inout HistoryRecord) throws(SQLiteError)
            -> ContiguousArray<ObjectKey>
    ) throws(CoreDataError) -> BatchOutcome {
        let builder = builder(plan)
        let statement: SpelledStatement
        do throws(QueryRefusal) {
            statement = try make(builder).spelled(in: schema.dialect)
        } catch {
            return try transaction(origin, try Residue(of: builder, after: error), make, body)
        }
        return try transaction(origin) { connection, history throws(SQLiteError) in
            try body(connection, statement, &history)
        }
    }

    private func transaction(
        _ origin: WriteOrigin, _ residue: Residue,
        _ make: (SelectBuilder) throws(QueryRefusal) -> Fragment,
        _ body: (Connection, SpelledStatement, inout HistoryRecord) throws(SQLiteError)
            -> ContiguousArray<ObjectKey>
    ) throws(CoreDataError) -> BatchOutcome {
        var refused: CoreDataError?
        do throws(CoreDataError) {
            return try transaction(origin) { connection, history throws(SQLiteError) in
                let statement: SpelledStatement
                do throws(CoreDataError) {
                    statement = try ResidueTest(
                        residue, source: SQLiteResidueSource(self, connection)
                    ).statement(make)
                } catch {
                    refused = error
                    throw SQLiteError(extendedCode: 1, message: error.message)
                }
                return try body(connection, statement, &history)
            }
        } catch {
            throw refused ?? error
        }
    }

    private func transaction(
        _ origin: WriteOrigin,
        _ body: (Connection, inout HistoryRecord) throws(SQLiteError) -> ContiguousArray<ObjectKey>
    ) throws(CoreDataError) -> BatchOutcome {
        do throws(SQLiteError) {
            let outcome = try connections.write { connection throws(SQLiteError) in
                try connection.transaction(.immediate) { () throws(SQLiteError) in
                    var history = HistoryRecord(origin: origin, store: self)
                    _ = takeDerived()
                    let keys = try body(connection, &history)
                    let computed = noteDerived(&history)
                    try writeHistory(history, connection)
                    return BatchOutcome(keys: keys, computed: computed)
                }
            }
            external?.endTransaction(isCommitted: true)
            return outcome
        } catch {
            external?.endTransaction(isCommitted: false)
            throw failure(error)
        }
    }

    /// The rows outside the batch for which triggers computed values while it ran.
    private func noteDerived(_ history: inout HistoryRecord) -> [ObjectKey] {
        let computed = takeDerived()
        if computed.isEmpty { return [] }
        let known = Set(history.changes.lazy.filter { $0.kind != .update }.map(\.key))
        for (row, slots) in computed where !known.contains(row) {
            history.updated([row], slots: slots)
        }
        return computed.map(\.row)
    }

    private func changedKeys(
        _ text: SpelledStatement, _ entity: EntityLayout, _ connection: Connection
    ) throws(SQLiteError) -> ContiguousArray<ObjectKey> {
        try Self.run(text, connection) { statement throws(SQLiteError) in
            try statements[entity].reader.readKeys(statement)
        }
    }

    private func keys(
        of delete: BatchPlan.Delete, _ select: SpelledStatement, _ connection: Connection
    ) throws(SQLiteError) -> ContiguousArray<ObjectKey> {
        guard let keys = delete.keys else {
            return try changedKeys(select, delete.plan.entity, connection)
        }
        let texts = statements[delete.plan.entity]
        let list: Fragment =
            "SELECT \(texts.keyList) FROM \(delete.plan.entity.tableName) t0 WHERE "
            + schema.dialect.isAmong("t0.Z_PK", .parameter(.array(keys)))
        return try changedKeys(list.spelled(in: schema.dialect), delete.plan.entity, connection)
    }
}

extension BatchPlan.Update {
    fileprivate var assigned: [(slot: Int, value: BatchUpdateBuilder.Assigned)] {
        assignments.map { assignment in
            switch assignment.value {
            case .value(let value): (assignment.slot, .value(Binding(value)))
            case .expression(let expression): (assignment.slot, .expression(expression))
            }
        }
    }
}
