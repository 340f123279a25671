import CSQLite

/// One line of a query plan.
package struct QueryPlanStep: Sendable, Hashable {
    package let id: Int
    package let parent: Int
    package let detail: String

    /// The line as the log prints it: id, parent, the unused number, detail.
    package var text: String { "  \(id) \(parent) 0 \(detail)" }
}

extension Connection {
    /// Returns SQLite's query plan for a statement, without bound parameters.
    ///
    /// Compiles the statement's text and reads no row. The connection neither counts nor reports
    /// this.
    package func queryPlan(of sql: String) throws(SQLiteError) -> [QueryPlanStep] {
        var made: OpaquePointer?
        let text = "EXPLAIN QUERY PLAN " + sql
        let code = sqlite3_prepare_v3(handle, text, -1, 0, &made, nil)
        guard code == SQLITE_OK else {
            throw SQLiteError(code: code, database: handle, sql: text)
        }
        defer { sqlite3_finalize(made) }
        var steps: [QueryPlanStep] = []
        while sqlite3_step(made) == SQLITE_ROW {
            steps.append(
                QueryPlanStep(
                    id: Int(sqlite3_column_int64(made, 0)),
                    parent: Int(sqlite3_column_int64(made, 1)),
                    detail: sqlite3_column_text(made, 3).map { String(cString: $0) } ?? ""))
        }
        return steps
    }
}
