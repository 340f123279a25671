import CoreDataModel
import CoreDataSQLite
import Foundation

/// Reading and purging a store's history.
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
            var found = try readTransactions(range.condition, connection)
            guard withChanges, !found.isEmpty else { return found }
            var places: [Int64: Int] = [:]
            for place in found.indices {
                guard places.updateValue(place, forKey: found[place].number) == nil else {
                    throw SQLiteError(
                        extendedCode: 11,
                        message: "two transactions of the history share a number")
                }
            }
            try readChanges(range.condition, connection) { transaction, change in
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
                    let condition = range.condition
                    let changes = try connection.statement(
                        "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN "
                            + "(SELECT t.Z_PK FROM ATRANSACTION t\(condition.text))")
                    try changes.bind(condition.bindings)
                    try changes.run()
                    let transactions = try connection.statement(
                        "DELETE FROM ATRANSACTION AS t\(condition.text)")
                    try transactions.bind(condition.bindings)
                    return try transactions.run()
                }
            }
        } catch {
            throw failure(error)
        }
    }

    // MARK: Rows

    /// A string column may contain the text itself, as in stores of older frameworks.
    private static let transactionColumns =
        "t.Z_PK, t.ZTIMESTAMP, "
        + ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"].map {
            "COALESCE((SELECT s.ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.Z\($0)TS), "
                + "t.Z\($0))"
        }.joined(separator: ", ")

    private func readTransactions(
        _ condition: Fragment, _ connection: Connection
    ) throws(SQLiteError) -> [HistoryTransaction] {
        let statement = try connection.statement(
            "SELECT \(Self.transactionColumns) FROM ATRANSACTION t\(condition.text) "
                + "ORDER BY t.Z_PK")
        defer { statement.finish() }
        try statement.bind(condition.bindings)
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
        _ condition: Fragment, _ connection: Connection, _ body: (Int64, HistoryChange) -> Void
    ) throws(SQLiteError) {
        let width = HistoryTables(layout: layout, connection: connection).tombstoneCount
        let tombstones = (0..<width).map { ", c.ZTOMBSTONE\($0)" }.joined()
        let statement = try connection.statement(
            "SELECT c.ZTRANSACTIONID, c.Z_PK, c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK, c.ZCOLUMNS"
                + "\(tombstones) FROM ACHANGE c WHERE c.ZTRANSACTIONID IN "
                + "(SELECT t.Z_PK FROM ATRANSACTION t\(condition.text)) ORDER BY c.Z_PK")
        defer { statement.finish() }
        try statement.bind(condition.bindings)
        while try statement.step() {
            // Changes of an entity that the model no longer has are skipped, because their rows
            // cannot have an object id.
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
                let reader = TableColumnReader(
                    index: 6 + offset, kind: value.kind, storedKind: nil, destination: nil,
                    hasEntity: false)
                let kept = reader.read(statement, numbers)
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

extension HistoryRange {
    /// The condition, such as ` WHERE t.Z_PK > ?`, on a table named t.
    fileprivate var condition: Fragment {
        switch self {
        case .all: Fragment("")
        case .after(let number): Fragment(" WHERE t.Z_PK > ?", [.integer(number)])
        case .before(let number): Fragment(" WHERE t.Z_PK < ?", [.integer(number)])
        case .afterDate(let date): Fragment(" WHERE t.ZTIMESTAMP > ?", [.double(date)])
        case .beforeDate(let date): Fragment(" WHERE t.ZTIMESTAMP < ?", [.double(date)])
        }
    }
}
