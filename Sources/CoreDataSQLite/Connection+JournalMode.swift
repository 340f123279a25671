import CSQLite

extension Connection {
    /// Changes how the database keeps its journal, and waits for other connections meanwhile.
    ///
    /// SQLite asks no busy handler where it changes the mode, so the waiting is done for a lock
    /// that the change needs too. One statement where nobody is in the way.
    ///
    /// - Parameter milliseconds: how long to wait.
    /// - Throws: the refusal, which is that of a busy database where others stay in the way.
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
