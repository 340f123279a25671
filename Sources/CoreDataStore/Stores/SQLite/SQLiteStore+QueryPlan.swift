import CoreDataSQLite

extension SQLiteStore: ExplainingStore {
    package func queryPlan(of statement: String) throws(CoreDataError) -> [QueryPlanStep] {
        try read { connection throws(SQLiteError) in
            // EXPLAIN does not notice indexes that other connections have created. Reading the
            // schema makes SQLite reload it.
            _ = try connection.firstText("SELECT COUNT(*) FROM sqlite_master")
            return try connection.queryPlan(of: statement)
        }
    }
}
