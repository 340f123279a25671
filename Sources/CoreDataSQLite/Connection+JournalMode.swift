import CSQLite

extension Connection {
    /// Changes the database's journal mode, and waits for other connections that use the database.
    ///
    /// SQLite does not wait when it changes the mode, so this method waits for a lock that the
    /// change also needs. Runs one statement if no other connection is active.
    ///
    /// - Parameter milliseconds: the time to wait.
    /// - Throws: SQLite's error. It is `SQLITE_BUSY` if other connections stay active.
    package func setJournalMode(_ mode: String, within milliseconds: Int) throws(SQLiteError) {
        let end = csqlite_nanoseconds() + UInt64(max(0, milliseconds)) * 1_000_000
        while true {
            do throws(SQLiteError) {
                _ = try firstText("PRAGMA journal_mode=\(mode)")
                return
            } catch {
                guard error.isBusy, csqlite_nanoseconds() < end else { throw error }
            }
            try execute("BEGIN EXCLUSIVE")
            try rollback()
        }
    }
}
