import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore

/// Inserts the rows of a batch, in the transaction of its caller.
///
/// Many rows are copied, or share one statement. If existing rows are updated, each row has its own
/// statement, because a row of the batch may have the unique values of an earlier one.
struct BatchInserter {
    private let store: PostgreSQLStore
    private let batch: BatchPlan.Insert
    private let first: Int64
    private let rows: SavePlan.Insert

    /// The maximum number of statements in one round trip.
    private static let statementsMax = 256

    /// Reserves the keys of the rows.
    init(_ store: PostgreSQLStore, _ batch: BatchPlan.Insert) throws(CoreDataError) {
        assert(
            batch.values.count == batch.named.count * batch.entity.values.count,
            "a row of the batch lacks a value")
        self.store = store
        self.batch = batch
        let count = batch.named.count
        first = count == 0 ? 0 : try store.reserveKeys(count, for: batch.entity)
        rows = SavePlan.Insert(
            entity: batch.entity, keys: ContiguousArray(first..<(first + Int64(count))),
            values: batch.values)
    }

    private var entity: EntityLayout { store.layout[batch.entity.index] }

    func run(
        _ connection: Connection, _ history: inout HistoryRecord
    ) throws(ServerError) -> ContiguousArray<ObjectKey> {
        if batch.named.isEmpty { return [] }
        if entity.uniquenessConstraints.isEmpty, rows.keys.count >= BatchCopy.rowsMin {
            try BatchCopy(entity: entity, rows: rows, schema: store.schema).run(connection)
            let keys = ContiguousArray(rows.keys.map(key))
            history.inserted(keys)
            return keys
        }
        if entity.uniquenessConstraints.isEmpty || batch.duplicates == .keepStored {
            return try insertAll(connection, &history)
        }
        if entity.uniquenessConstraints.count > 1 {
            return try insertOrUpdate(connection, &history)
        }
        return try insertEach(connection, &history)
    }

    private func key(_ number: Int64) -> ObjectKey {
        ObjectKey(entity: batch.entity.index, key: number)
    }

    private func insertAll(
        _ connection: Connection, _ history: inout HistoryRecord
    ) throws(ServerError) -> ContiguousArray<ObjectKey> {
        var plan = SavePlan()
        plan.inserts = [rows]
        let statements: [PipelinedStatement]
        let ending = " ON CONFLICT DO NOTHING RETURNING \(store.schema.names.key)"
        do throws(CoreDataError) {
            statements = try PlanStatements(plan, schema: store.schema).rows(ending: ending)
        } catch {
            throw ServerError(client: error.message)
        }
        var keys: ContiguousArray<ObjectKey> = []
        for result in try connection.executePipeline(statements) {
            for row in 0..<result.rowCount { keys.append(key(result[row, 0].integer)) }
        }
        history.inserted(keys)
        return keys
    }

    private func insertEach(
        _ connection: Connection, _ history: inout HistoryRecord
    ) throws(ServerError) -> ContiguousArray<ObjectKey> {
        let texts = InsertTexts(entity, schema: store.schema)
        var keys: ContiguousArray<ObjectKey> = []
        var sql = ""
        var start = 0
        while start < batch.named.count {
            let end = min(start + Self.statementsMax, batch.named.count)
            var statements: [PipelinedStatement] = []
            for row in start..<end {
                // Consecutive rows usually set the same slots and use the same SQL text.
                if row == 0 || batch.named[row] != batch.named[row - 1] {
                    do throws(QueryRefusal) { sql = try texts.updating(batch.named[row]) } catch {
                        throw ServerError(client: error.message)
                    }
                }
                statements.append(PipelinedStatement(sql, try parameters(row)))
            }
            for (offset, result) in try connection.executePipeline(statements).enumerated() {
                guard let written = result.first?.integer else { continue }
                keys.append(key(written))
                if written == first + Int64(start + offset) {
                    history.inserted([key(written)])
                } else {
                    history.updated([key(written)], slots: batch.named[start + offset])
                }
            }
            start = end
        }
        return keys
    }

    /// Inserts the rows one by one, for an entity with several uniqueness constraints. An INSERT
    /// can update an existing row by only one constraint, so an UPDATE follows if a row already
    /// exists.
    private func insertOrUpdate(
        _ connection: Connection, _ history: inout HistoryRecord
    ) throws(ServerError) -> ContiguousArray<ObjectKey> {
        let insert = InsertTexts(entity, schema: store.schema).unlessStored
        var keys: ContiguousArray<ObjectKey> = []
        for row in batch.named.indices {
            if let made = try connection.execute(insert, try parameters(row)).first?.integer {
                keys.append(key(made))
                history.inserted([key(made)])
                continue
            }
            let count = keys.count
            for constraint in entity.uniquenessConstraints {
                let (sql, values) = try update(row, constraint)
                guard let found = try connection.execute(sql, values).first?.integer else {
                    continue
                }
                keys.append(key(found))
                history.updated([key(found)], slots: batch.named[row])
                break
            }
            if keys.count == count {
                throw ServerError(
                    client: "Another program has just removed or changed the row of"
                        + " '\(entity.name)' with the unique values of row \(row + 1) of the batch."
                        + " Execute the batch again.")
            }
        }
        return keys
    }

    /// The statement that updates the stored row with the same unique values.
    private func update(
        _ row: Int, _ constraint: UniquenessConstraint
    ) throws(ServerError) -> (sql: String, parameters: Parameters) {
        let parameters = Parameters()
        func assignments(_ slots: [Int]) throws(ServerError) -> [String] {
            var texts: [String] = []
            for slot in slots {
                guard let column = entity.values[slot].column else { continue }
                try parameters.append(rows.cells(row), slot, entity.values[slot].kind)
                texts.append("\(column) = $\(parameters.count)")
            }
            return texts
        }
        let version = store.schema.names.version
        let sets = ["\(version) = \(version) + 1"] + (try assignments(batch.named[row]))
        let conditions = try assignments(constraint.slots)
        return (
            "UPDATE \(entity.tableName) SET \(sets.joined(separator: ", "))"
                + " WHERE \(conditions.joined(separator: " AND "))"
                + " RETURNING \(store.schema.names.key)", parameters
        )
    }

    private func parameters(_ row: Int) throws(ServerError) -> Parameters {
        let parameters = Parameters()
        let numbers = store.schema.numbers
        parameters.append(int8: first + Int64(row))
        parameters.append(int8: numbers.number(of: entity.index))
        parameters.append(int8: 1)
        for (slot, value) in entity.values.enumerated() {
            guard value.column != nil else { continue }
            try parameters.append(rows.cells(row), slot, value.kind)
            guard value.toOne?.entityColumn != nil else { continue }
            if case .reference(let key) = rows.value(row, slot) {
                parameters.append(int8: numbers.number(of: Int(key.entity)))
            } else {
                parameters.append(null: .int8)
            }
        }
        return parameters
    }
}
