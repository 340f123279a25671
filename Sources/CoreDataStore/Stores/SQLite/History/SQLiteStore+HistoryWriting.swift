import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// A transaction is recorded in the store's history as a part of the transaction itself.
extension SQLiteStore {
    /// Writes one row for the transaction and one for each change.
    ///
    /// - Returns: the transaction's number; nil if nothing changed, and nothing was written.
    @discardableResult
    func writeHistory(
        _ record: HistoryRecord, _ connection: Connection
    ) throws(SQLiteError) -> Int64? {
        guard record.isOn, !record.changes.isEmpty else { return nil }
        assert(connection.isInTransaction, "the history is written outside a transaction")
        let transaction = try takeHistoryKeys(1, HistoryTables.transactionNumber, connection)
        let row = try connection.statement(
            "INSERT INTO ATRANSACTION(Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS, "
                + "ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP, ZAUTHOR, ZBUNDLEID, ZCONTEXTNAME, "
                + "ZPROCESSID, ZQUERYGEN) VALUES(?, ?, NULL, ?, ?, ?, ?, ?, NULL, NULL, NULL, "
                + "NULL, NULL)")
        let names: [String?] = [
            record.origin.author, HistoryIdentity.bundle, record.origin.contextName,
            HistoryIdentity.process,
        ]
        var strings: [Int64?] = []
        for name in names { strings.append(try intern(name, connection)) }
        row.bind(1, integer: transaction)
        row.bind(2, integer: HistoryTables.transactionNumber)
        for (index, string) in strings.enumerated() {
            if let string { row.bind(index + 3, integer: string) } else { row.bind(index + 3) }
        }
        row.bind(7, double: Self.now)
        try row.run()
        try writeChanges(record, transaction, connection)
        return transaction
    }

    private func writeChanges(
        _ record: HistoryRecord, _ transaction: Int64, _ connection: Connection
    ) throws(SQLiteError) {
        let width = HistoryTables(layout: layout, connection: connection).tombstoneCount
        let columns = (0..<width).map { ", ZTOMBSTONE\($0)" }.joined()
        let statement = try connection.statement(
            "INSERT INTO ACHANGE(Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, "
                + "ZTRANSACTIONID, ZCOLUMNS\(columns)) VALUES(?, ?, NULL, ?, ?, ?, ?, ?"
                + String(repeating: ", ?", count: width) + ")")
        var key = try takeHistoryKeys(
            record.changes.count, HistoryTables.changeNumber, connection)
        for change in record.changes {
            assert(
                change.tombstone.count <= width,
                "the history has too few columns for the kept values")
            statement.bind(1, integer: key)
            statement.bind(2, integer: HistoryTables.changeNumber)
            statement.bind(3, integer: Int64(change.kind.rawValue))
            statement.bind(4, integer: numbers.number(of: Int(change.key.entity)))
            statement.bind(5, integer: change.key.key)
            statement.bind(6, integer: transaction)
            if change.kind == .update {
                change.columns.withUnsafeBytes { statement.bind(7, blob: $0) }
            } else {
                statement.bind(7)
            }
            for index in 0..<width {
                let value = index < change.tombstone.count ? change.tombstone[index] : .null
                statement.bind(8 + index, value: value)
            }
            try statement.run()
            key += 1
        }
    }

    private func takeHistoryKeys(
        _ count: Int, _ number: Int64, _ connection: Connection
    ) throws(SQLiteError) -> Int64 {
        let update = try connection.statement(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + ? WHERE Z_ENT = ? RETURNING Z_MAX")
        defer { update.finish() }
        update.bind(1, integer: Int64(count))
        update.bind(2, integer: number)
        var last: Int64?
        while try update.step() { last = update.integer(0) }
        guard let last else {
            throw SQLiteError(extendedCode: 11, message: "Z_PRIMARYKEY has no row \(number)")
        }
        guard PrimaryKeys.limits.contains(last) else {
            throw SQLiteError(extendedCode: 13, message: "the history has no numbers left")
        }
        return last - Int64(count) + 1
    }

    /// Returns the key of a string in the table of strings, and adds the string if it is missing.
    private func intern(
        _ name: String?, _ connection: Connection
    ) throws(SQLiteError) -> Int64? {
        guard let name else { return nil }
        let select = try connection.statement(
            "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
        select.bind(1, text: name)
        let found = try select.step() ? select.integer(0) : nil
        select.finish()
        if let found { return found }
        let key = try takeHistoryKeys(1, HistoryTables.stringNumber, connection)
        let insert = try connection.statement(
            "INSERT INTO ATRANSACTIONSTRING(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, ?, NULL, ?)")
        insert.bind(1, integer: key)
        insert.bind(2, integer: HistoryTables.stringNumber)
        insert.bind(3, text: name)
        try insert.run()
        return key
    }
}
