import CSQLite

/// What SQLite said when it refused, with the statement that it refused.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The primary result code, such as `SQLITE_BUSY`.
    package let code: Int32
    /// The extended result code, such as `SQLITE_CONSTRAINT_UNIQUE`.
    package let extendedCode: Int32
    package let message: String
    /// The statement's text; empty where no statement was involved.
    package let sql: String

    package init(extendedCode: Int32, message: String, sql: String = "") {
        code = extendedCode & 0xFF
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    /// Takes the message from a connection's last failure.
    init(code: Int32, database: OpaquePointer?, sql: String = "") {
        let extended = database.map(sqlite3_extended_errcode) ?? code
        // The connection remembers its last failure only; a misuse of the interface leaves none.
        let isOfThisCall = extended & 0xFF == code & 0xFF
        let text = isOfThisCall && database != nil ? sqlite3_errmsg(database) : sqlite3_errstr(code)
        self.init(
            extendedCode: isOfThisCall ? extended : code,
            message: text.map { String(cString: $0) } ?? "unknown error", sql: sql)
    }

    package var description: String {
        sql.isEmpty
            ? "SQLite \(extendedCode): \(message)" : "SQLite \(extendedCode): \(message) in \(sql)"
    }
}

/// The kinds of failures that callers tell apart.
extension SQLiteError {
    package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
    package var isNotADatabase: Bool { code == SQLITE_NOTADB }
    package var isCorrupt: Bool { code == SQLITE_CORRUPT }
    package var isReadOnly: Bool { code == SQLITE_READONLY }
    package var isFull: Bool { code == SQLITE_FULL }
    package var cannotOpen: Bool { code == SQLITE_CANTOPEN || code == SQLITE_PERM }
    package var isUniquenessViolation: Bool { extendedCode == SQLITE_CONSTRAINT | (8 << 8) }
    package var isPrimaryKeyViolation: Bool {
        extendedCode == SQLITE_CONSTRAINT | (6 << 8)
            || extendedCode == SQLITE_CONSTRAINT | (10 << 8)
    }
    package var isConstraintViolation: Bool { code == SQLITE_CONSTRAINT }
}
