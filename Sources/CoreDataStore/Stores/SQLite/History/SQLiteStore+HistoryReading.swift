import CoreDataModel
import CoreDataSQL
import CoreDataSQLite
import Foundation

extension SQLiteStore: HistoryStore {
    package func lastTransactionNumber() throws(CoreDataError) -> Int64 {
        guard tracksHistory else { return 0 }
        return try read { connection throws(SQLiteError) in
            let text = try connection.firstText(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistoryTables.transactionNumber)")
            return text.flatMap { Int64($0) } ?? 0
        }
    }

    package func firstTransactionNumber() throws(CoreDataError) -> Int64? {
        guard tracksHistory else { return nil }
        return try read { connection throws(SQLiteError) in
            try connection.firstText("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK LIMIT 1")
                .flatMap { Int64($0) }
        }
    }

    package func transactions(
        _ range: HistoryRange, withChanges: Bool
    ) throws(CoreDataError) -> [HistoryTransaction] {
        guard tracksHistory else { return [] }
        return try read { connection throws(SQLiteError) in
            var found = try readTransactions(range, connection)
            guard withChanges, !found.isEmpty else { return found }
            var places: [Int64: Int] = [:]
            for place in found.indices {
                guard places.updateValue(place, forKey: found[place].number) == nil else {
                    throw SQLiteError(
                        extendedCode: 11,
                        message: "two transactions of the history share a number")
                }
            }
            try readChanges(range, connection) { transaction, change in
                if let place = places[transaction] { found[place].changes.append(change) }
            }
            return found
        }
    }

    package func deleteTransactions(_ range: HistoryRange) throws(CoreDataError) -> Int {
        try checkWritable()
        guard tracksHistory else { return 0 }
        do throws(SQLiteError) {
            return try connections.write { connection throws(SQLiteError) in
                try connection.transaction(.immediate) { () throws(SQLiteError) in
                    let statements = HistoryStatements(.coreData, range)
                    try prepared(statements.deleteChanges, connection).run()
                    return try prepared(statements.deleteTransactions, connection).run()
                }
            }
        } catch {
            throw failure(error)
        }
    }

    private func prepared(
        _ fragment: Fragment, _ connection: Connection
    ) throws(SQLiteError) -> Statement {
        let text = fragment.spelled(in: schema.dialect)
        let statement = try connection.statement(text.sql)
        try statement.bind(text.bindings)
        return statement
    }

    // MARK: Rows

    /// Stores of older frameworks may contain the text itself in a column of the transaction.
    private static let transactionColumns =
        "t.Z_PK, t.ZTIMESTAMP, "
        + ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"].map {
            "COALESCE((SELECT s.ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.Z\($0)TS), "
                + "t.Z\($0))"
        }.joined(separator: ", ")

    private func readTransactions(
        _ range: HistoryRange, _ connection: Connection
    ) throws(SQLiteError) -> [HistoryTransaction] {
        let statement = try prepared(
            HistoryStatements(.coreData, range).transactions(Self.transactionColumns), connection)
        defer { statement.finish() }
        var found: [HistoryTransaction] = []
        while try statement.step() {
            found.append(
                HistoryTransaction(
                    number: statement.integer(0), timestamp: statement.double(1),
                    author: statement.isNull(2) ? nil : statement.text(2),
                    bundle: statement.text(3),
                    contextName: statement.isNull(4) ? nil : statement.text(4),
                    process: statement.text(5)))
        }
        return found
    }

    private func readChanges(
        _ range: HistoryRange, _ connection: Connection, _ body: (Int64, HistoryChange) -> Void
    ) throws(SQLiteError) {
        let width = HistoryTables(layout: layout, connection: connection).tombstoneCount
        let tombstones = (0..<width).map { ", c.ZTOMBSTONE\($0)" }.joined()
        let columns =
            "c.ZTRANSACTIONID, c.Z_PK, c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK, c.ZCOLUMNS"
            + tombstones
        let statement = try prepared(
            HistoryStatements(.coreData, range).changes(columns), connection)
        defer { statement.finish() }
        while try statement.step() {
            // The model no longer contains the entity, so no object id can be created for its rows.
            guard let index = numbers.index(of: statement.integer(3)),
                let kind = HistoryChangeKind(rawValue: Int(statement.integer(2)))
            else { continue }
            body(statement.integer(0), change(kind, layout[index], statement))
        }
    }

    private func change(
        _ kind: HistoryChangeKind, _ entity: EntityLayout, _ statement: Statement
    ) -> HistoryChange {
        let columns = HistoryColumns(entity)
        var tombstone: [(name: String, kind: ValueKind, value: Value)] = []
        if kind == .delete {
            for (offset, slot) in columns.preserved.enumerated() {
                let value = entity.values[slot]
                let column = ResultColumn(index: 6 + offset, kind: value.kind)
                let kept = column.read(statement, numbers)
                if !kept.isNull { tombstone.append((value.name, value.kind, kept)) }
            }
        }
        return HistoryChange(
            number: statement.integer(1), kind: kind,
            key: ObjectKey(entity: entity.index, key: statement.integer(4)),
            properties: kind == .update ? columns.names(in: statement.value(5).bytes) : [],
            tombstone: tombstone)
    }
}

extension HistoryStatements.Names {
    fileprivate static let coreData = Self(
        transactions: "ATRANSACTION", changes: "ACHANGE", key: "Z_PK", timestamp: "ZTIMESTAMP",
        transaction: "ZTRANSACTIONID")
}
