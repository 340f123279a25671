import CSQLite

// Checks a compiled statement.
extension Statement {
    /// The first broken invariant, or nil; called by the thread that uses the connection.
    package func brokenInvariant() -> String? {
        if hasRun { return nil }
        if rows != 0 { return "A statement that does not run counts \(rows) rows." }
        if start != 0 { return "A statement that does not run takes its time." }
        if sqlite3_stmt_busy(handle) != 0 {
            return "A statement that does not run is in the middle of its rows."
        }
        return nil
    }

    /// Whether the parameter exists and no run is active, during which SQLite would reject a value.
    @usableFromInline func mayBind(_ index: Int) -> Bool {
        !hasRun && index >= 1 && index <= parameterCount
    }

    /// Whether the statement is at a row with this column.
    @usableFromInline func hasColumn(_ column: Int) -> Bool {
        column >= 0 && column < Int(sqlite3_data_count(handle))
    }
}
