import CSQLite

// What a compiled statement promises.
extension Statement {
    /// The first promise that is broken, or nil; called where the statement's connection is.
    package func brokenInvariant() -> String? {
        if hasRun { return nil }
        if rows != 0 { return "A statement that does not run counts \(rows) rows." }
        if start != 0 { return "A statement that does not run takes its time." }
        if sqlite3_stmt_busy(handle) != 0 {
            return "A statement that does not run stands in the middle of its rows."
        }
        return nil
    }

    /// Whether there is such a parameter and no run, during which SQLite would refuse a value.
    @usableFromInline func mayBind(_ index: Int) -> Bool {
        !hasRun && index >= 1 && index <= parameterCount
    }

    /// Whether there is a row with such a column.
    @usableFromInline func hasColumn(_ column: Int) -> Bool {
        column >= 0 && column < Int(sqlite3_data_count(handle))
    }
}
