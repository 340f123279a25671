import CoreDataModel
import CoreDataSQLite

/// The tables of a store's history. They are created when history tracking is enabled, and emptied
/// when it is disabled. Names, columns and numbers are those of Core Data.
struct HistoryTables {
    package static let changeNumber: Int64 = 16_001
    package static let transactionNumber: Int64 = 16_002
    static let stringNumber: Int64 = 16_003

    package let layout: ModelLayout
    package let connection: Connection

    /// The number of `ZTOMBSTONE` columns that the model needs.
    var tombstoneCount: Int {
        layout.entities.map { HistoryColumns($0).preserved.count }.max() ?? 0
    }

    func exist() throws(SQLiteError) -> Bool {
        try connection.firstText(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'ATRANSACTION'") != nil
    }

    func holdTransactions() throws(SQLiteError) -> Bool {
        guard try exist() else { return false }
        return try connection.firstText("SELECT Z_PK FROM ATRANSACTION LIMIT 1") != nil
    }

    /// Creates the missing tables and columns. Runs two statements if all of them exist.
    package func prepare() throws(SQLiteError) {
        if try exist() {
            guard try tombstonesPresent() < tombstoneCount else { return }
        }
        try connection.transaction(.immediate) { () throws(SQLiteError) in
            // Another process may have created the tables before this process took the lock.
            if try !exist() { try make() }
            for number in stride(from: try tombstonesPresent(), to: tombstoneCount, by: 1) {
                try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(number)")
            }
        }
    }

    private func tombstonesPresent() throws(SQLiteError) -> Int {
        guard tombstoneCount > 0 else { return 0 }
        let count = try connection.firstText(
            "SELECT COUNT(*) FROM pragma_table_info('ACHANGE') WHERE name LIKE 'ZTOMBSTONE%'")
        return count.flatMap { Int($0) } ?? 0
    }

    private func make() throws(SQLiteError) {
        for sql in Self.schema { try connection.execute(sql) }
        for (number, name) in [
            (Self.changeNumber, "CHANGE"), (Self.transactionNumber, "TRANSACTION"),
            (Self.stringNumber, "TRANSACTIONSTRING"),
        ] {
            let row = try connection.statement(
                "INSERT OR IGNORE INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) "
                    + "VALUES(?, ?, 0, 0)")
            row.bind(1, integer: number)
            row.bind(2, text: name)
            try row.run()
        }
    }

    package func empty() throws(SQLiteError) {
        guard try holdTransactions() else { return }
        try connection.transaction(.immediate) { () throws(SQLiteError) in
            for table in ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] {
                try connection.execute("DELETE FROM \(table)")
            }
        }
    }

    private static let schema = [
        "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, "
            + "ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, "
            + "ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
        "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, "
            + "ZCOLUMNS BLOB )",
        "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, "
            + "Z_OPT INTEGER, ZNAME VARCHAR )",
        "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
        "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
        "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
        "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
        "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
        "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex "
            + "ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
        "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex "
            + "ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME "
            + "ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
    ]
}
