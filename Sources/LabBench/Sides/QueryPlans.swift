import BenchResults
import CoreDataSQLite

/// Reads the query plans of statements. The gate compares them.
enum QueryPlans {
    private static let kinds: Set<String> = ["select", "insert", "update", "delete"]

    /// The statements with their query plans. If SQLite cannot explain a statement, it has no plan.
    static func explain(_ statements: [StatementCount], file: String) -> [StatementCount] {
        guard let connection = try? Connection(.file(file)) else { return statements }
        return statements.map { statement in
            guard kinds.contains(statement.kind) else { return statement }
            var explained = statement
            explained.plan = try? plan(statement.text, connection)
            return explained
        }
    }

    private static func plan(
        _ sql: String, _ connection: Connection
    ) throws(SQLiteError) -> [String] {
        let statement = try connection.statement("EXPLAIN QUERY PLAN " + sql)
        defer { statement.finish() }
        var steps: [String] = []
        // The columns are the id, the parent, an unused column, and the text.
        while try statement.step() { steps.append(statement.text(3)) }
        return steps
    }
}
