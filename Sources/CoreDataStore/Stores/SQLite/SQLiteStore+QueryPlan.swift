import CoreDataSQLite

/// Query plans of statements, for tools that examine logs and fetches.
extension SQLiteStore {
    /// SQLite's plan for a statement on this store. Runs no statement, and notifies no listener.
    ///
    /// - Throws: SQLite's error if the text does not compile.
    package func queryPlan(of sql: String) throws(CoreDataError) -> [QueryPlanStep] {
        try read { connection throws(SQLiteError) in try connection.queryPlan(of: sql) }
    }
}
