import CoreDataSQLite

/// Asking how statements would run; tools for logs and fetches do.
extension SQLiteStore {
    /// How SQLite would run a statement on this store. Runs none, and tells no listener.
    ///
    /// - Throws: what SQLite says about a text that it does not compile.
    package func queryPlan(of sql: String) throws(CoreDataError) -> [QueryPlanStep] {
        try read { connection throws(SQLiteError) in try connection.queryPlan(of: sql) }
    }
}
