import CSQLite

/// An error of SQLite, with the statement that failed.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The primary result code, such as `SQLITE_BUSY`.
    package let code: Int32
    /// The extended result code, such as `SQLITE_CONSTRAINT_UNIQUE`.
    package let extendedCode: Int32
    package let message: String
    package let sql: String
    /// The value of `errno` for a file error; 0 for other errors.
    package let systemError: Int32

    package init(
        extendedCode: Int32, message: String, sql: String = "", systemError: Int32 = 0
    ) {
        code = extendedCode & 0xFF
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
        self.systemError = systemError
    }

    /// Reads the message of a connection's last error.
    init(code: Int32, database: OpaquePointer?, sql: String = "") {
        let extended = database.map(sqlite3_extended_errcode) ?? code
        // A connection only remembers its last error, and misuse of the interface does not set that
        // error.
        let isOfThisCall = extended & 0xFF == code & 0xFF
        let text = isOfThisCall && database != nil ? sqlite3_errmsg(database) : sqlite3_errstr(code)
        self.init(
            extendedCode: isOfThisCall ? extended : code,
            message: text.map { String(cString: $0) } ?? "unknown error", sql: sql,
            systemError: Self.systemError(database, code))
    }

    /// The value of `errno` for a file error; 0 for others, for which it may be outdated.
    private static func systemError(_ database: OpaquePointer?, _ code: Int32) -> Int32 {
        let ofFiles = [SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_FULL, SQLITE_PERM, SQLITE_READONLY]
        guard let database, ofFiles.contains(code & 0xFF) else { return 0 }
        return sqlite3_system_errno(database)
    }

    package var description: String {
        sql.isEmpty
            ? "SQLite \(extendedCode): \(message)" : "SQLite \(extendedCode): \(message) in \(sql)"
    }
}

extension SQLiteError {
    package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
    package var isNotADatabase: Bool { code == SQLITE_NOTADB }
    package var isCorrupt: Bool { code == SQLITE_CORRUPT }
    package var isReadOnly: Bool { code == SQLITE_READONLY }
    /// Whether the connection's path no longer refers to the file that the connection has open.
    package var fileIsGone: Bool { extendedCode == Self.fileHasMoved }
    package static var fileIsGoneError: SQLiteError { Connection.Place.gone }
    static let fileHasMoved = SQLITE_READONLY | (4 << 8)
    package var isFull: Bool { code == SQLITE_FULL }
    package var cannotOpen: Bool { code == SQLITE_CANTOPEN || code == SQLITE_PERM }
    package var isUniquenessViolation: Bool { extendedCode == SQLITE_CONSTRAINT | (8 << 8) }
    package var isPrimaryKeyViolation: Bool {
        extendedCode == SQLITE_CONSTRAINT | (6 << 8)
            || extendedCode == SQLITE_CONSTRAINT | (10 << 8)
    }
    package var isTriggerViolation: Bool { extendedCode == Self.triggerViolation }
    private static let triggerViolation = SQLITE_CONSTRAINT | (7 << 8)

    package static func trigger(_ message: String, sql: String) -> SQLiteError {
        SQLiteError(extendedCode: triggerViolation, message: message, sql: sql)
    }

    package var isConstraintViolation: Bool { code == SQLITE_CONSTRAINT }
}
