import CSQLite

/// Empties and copies whole databases in place, under SQLite's own locks.
extension Connection {
    /// Removes all content from the database, even from a damaged one; the file remains.
    ///
    /// Fails as busy while another connection reads or writes.
    package func eraseAll() throws(SQLiteError) {
        finishAll()
        try check(csqlite_reset_on_vacuum(handle, 1))
        defer { _ = csqlite_reset_on_vacuum(handle, 0) }
        try execute("VACUUM")
    }

    /// Replaces the content of this database by that of another connection's database.
    ///
    /// Fails as busy while another connection uses this database.
    package func replace(with source: Connection) throws(SQLiteError) {
        finishAll()
        guard let backup = sqlite3_backup_init(handle, "main", source.handle, "main") else {
            throw SQLiteError(code: sqlite3_errcode(handle), database: handle)
        }
        let code = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw SQLiteError(code: code, database: handle) }
        try check(end)
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code != SQLITE_OK else { return }
        throw SQLiteError(code: code, database: handle)
    }
}
