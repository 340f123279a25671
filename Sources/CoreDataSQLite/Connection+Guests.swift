import CSQLite

// Untrusted statements, and files that other connections use.
extension Connection {
    /// The maximum number of virtual machine steps of a statement on a confined connection.
    package static let confinedSteps: Int32 = 50_000_000
    /// The maximum number of bytes of a value or a statement on a confined connection.
    package static let confinedBytes: Int32 = 10_000_000
    /// The maximum number of pages of a confined connection's database.
    package static let confinedPages = 25_000

    /// Restricts the statements of this connection: they cannot attach files or create huge values
    /// or databases, and their steps are limited.
    ///
    /// A statement with too many steps fails with `SQLITE_INTERRUPT`, and one that makes the
    /// database too large with `SQLITE_FULL`.
    func confine() {
        // This also rejects VACUUM INTO, which attaches the file that it writes.
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.confinedBytes)
        sqlite3_progress_handler(handle, Self.confinedSteps, { _ in 1 }, nil)
        _ = try? execute("PRAGMA max_page_count = \(Self.confinedPages)")
    }

    /// Runs untrusted statements. A statement that attaches a file, or changes how or where SQLite
    /// stores files, fails with `SQLITE_AUTH`. Statements after the body are not restricted.
    package func asGuest<T>(_ body: () throws(SQLiteError) -> T) throws(SQLiteError) -> T {
        csqlite_judge_statements(handle, 1)
        defer { csqlite_judge_statements(handle, 0) }
        return try body()
    }

    /// The URI of a file for a read-only connection that writes no other file.
    static func address(keepingIndexOf path: String) -> String {
        "file:\(escaped(path))?mode=ro&readonly_shm=1"
    }

    /// The URI of an in-memory database that all connections of the process can share.
    static func address(ofSharedMemory name: String) -> String {
        "file:/faultline/\(escaped(name))?vfs=memdb"
    }

    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte -> String in
            let isPlain =
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || [UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")]
                    .contains(byte)
            if isPlain { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
        }.joined()
    }
}
