import CSQLite

extension Statement {
    /// The first broken invariant, or nil; called by the thread that uses the connection.
    package func brokenInvariant() -> String? {
        if hasRun { return nil }
        if rows != 0 { return "A statement counts \(rows) rows outside a run." }
        if start != 0 { return "A statement measures its time outside a run." }
        if sqlite3_stmt_busy(handle) != 0 {
            return "A statement was left at a row: its run has ended without a reset."
        }
        return nil
    }

    @usableFromInline func mayBind(_ index: Int) -> Bool {
        !hasRun && index >= 1 && index <= parameterCount
    }

    @usableFromInline func hasColumn(_ column: Int) -> Bool {
        column >= 0 && column < Int(sqlite3_data_count(handle))
    }
}
