import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore
import Foundation

/// Reading and purging a store's history.
extension PostgreSQLStore: HistoryStore {
    func lastTransactionNumber() throws(CoreDataError) -> Int64 {
        guard tracksHistory else { return 0 }
        return try read { connection throws(ServerError) in
            try connection.execute(history.lastNumber).first?.integer ?? 0
        }
    }

    func firstTransactionNumber() throws(CoreDataError) -> Int64? {
        guard tracksHistory else { return nil }
        return try read { connection throws(ServerError) in
            let cell = try connection.execute(
                "SELECT min(number) FROM \(history.names.transactions)"
            ).first
            return cell.flatMap { $0.isNull ? nil : $0.integer }
        }
    }

    func transactions(
        _ range: HistoryRange, withChanges: Bool
    ) throws(CoreDataError) -> [HistoryTransaction] {
        guard tracksHistory else { return [] }
        let statements = HistoryStatements(history.names, range)
        do throws(ServerError) {
            // Both statements see one state, because another transaction may be purged or added.
            return try connections.readOneState { connection throws(ServerError) in
                let rows = try Self.run(
                    statements.transactions(
                        "t.number, t.date, t.author, t.bundle, t.context, t.process"
                    ).spelled(in: schema.dialect), connection)
                var found = (0..<rows.rowCount).map { Self.transaction(rows, $0) }
                guard withChanges, !found.isEmpty else { return found }
                let changes = try Self.run(
                    statements.changes(
                        "c.transaction, c.number, c.kind, c.entity, c.key, c.properties, c.kept"
                    ).spelled(in: schema.dialect), connection)
                add(changes, to: &found)
                return found
            }
        } catch {
            throw failure(error)
        }
    }

    private static func transaction(_ rows: QueryResult, _ row: Int) -> HistoryTransaction {
        func text(_ column: Int) -> String? {
            rows[row, column].isNull ? nil : rows[row, column].text
        }
        return HistoryTransaction(
            number: rows[row, 0].integer, timestamp: rows[row, 1].double, author: text(2),
            bundle: text(3) ?? "", contextName: text(4), process: text(5) ?? "")
    }

    private func add(_ rows: QueryResult, to found: inout [HistoryTransaction]) {
        var places: [Int64: Int] = [:]
        for place in found.indices { places[found[place].number] = place }
        for row in 0..<rows.rowCount {
            // Changes of an entity that the model no longer contains are skipped, because no object
            // id can be created for their rows.
            guard let place = places[rows[row, 0].integer],
                let index = schema.numbers.index(of: rows[row, 3].integer),
                let kind = HistoryChangeKind(rawValue: Int(rows[row, 2].integer))
            else { continue }
            found[place].changes.append(change(rows, row, kind, layout[index]))
        }
    }

    private func change(
        _ rows: QueryResult, _ row: Int, _ kind: HistoryChangeKind, _ entity: EntityLayout
    ) -> HistoryChange {
        let columns = HistoryColumns(entity)
        var tombstone: [(name: String, kind: CoreDataModel.ValueKind, value: Value)] = []
        if kind == .delete, !rows[row, 6].isNull {
            let slots = columns.preserved.map { entity.values[$0] }
            let values = KeptValues.values(rows[row, 6].data, slots.map(\.kind))
            for (slot, value) in zip(slots, values) where !value.isNull {
                tombstone.append((slot.name, slot.kind, value))
            }
        }
        return HistoryChange(
            number: rows[row, 1].integer, kind: kind,
            key: ObjectKey(entity: entity.index, key: rows[row, 4].integer),
            properties: kind == .update ? columns.names(in: rows[row, 5].bytes) : [],
            tombstone: tombstone)
    }

    func deleteTransactions(_ range: HistoryRange) throws(CoreDataError) -> Int {
        try checkWritable()
        guard tracksHistory else { return 0 }
        let statements = HistoryStatements(history.names, range)
        do throws(ServerError) {
            return try connections.run { connection throws(ServerError) in
                try connection.transaction { () throws(ServerError) in
                    _ = try Self.run(
                        statements.deleteChanges.spelled(in: schema.dialect), connection)
                    return try Self.run(
                        statements.deleteTransactions.spelled(in: schema.dialect), connection
                    ).affectedRows
                }
            }
        } catch {
            throw failure(error)
        }
    }

    // MARK: Deleted rows

    /// The statement that reads the preserved values of rows that are about to be deleted; nil if
    /// the entity has none.
    func keeping(
        _ keys: ContiguousArray<Int64>, of entity: EntityLayout
    ) -> PipelinedStatement? {
        guard tracksHistory else { return nil }
        let columns = HistoryColumns(entity).preserved.compactMap { entity.values[$0].column }
        if columns.isEmpty { return nil }
        let parameters = Parameters()
        parameters.append(int8s: keys)
        let key = schema.names.key
        return PipelinedStatement(
            "SELECT \(key), \(columns.joined(separator: ", ")) FROM \(entity.tableName)"
                + " WHERE \(key) = ANY($1)", parameters)
    }

    /// Adds the preserved values to the record of a transaction.
    func keep(
        _ result: QueryResult, of entity: EntityLayout, in record: inout HistoryRecord
    ) {
        let slots = HistoryColumns(entity).preserved
        for row in 0..<result.rowCount {
            let values = slots.enumerated().map { offset, slot in
                ResultColumn(index: offset + 1, kind: entity.values[slot].kind)
                    .read(result, row, schema.numbers)
            }
            record.keep(values, of: ObjectKey(entity: entity.index, key: result[row, 0].integer))
        }
    }
}
