import CoreDataPostgreSQLClient
import CoreDataStore

/// The lab returns a store to an earlier state before each schedule.
///
/// A mark is a script that empties the tables and inserts the marked rows, in one round trip. Rows
/// are deleted one by one, because `TRUNCATE` creates new files and waits for readers.
extension PostgreSQLStore: RewindableStore {
    private struct Mark: Sendable {
        let schema: String
        let script: String
    }

    func mark() throws(CoreDataError) -> StoreMark {
        let (schema, history) = (schemaName, history)
        do throws(ServerError) {
            return try connections.readOneState { connection throws(ServerError) in
                let script = MarkScript(schema, history, connection)
                return StoreMark(Mark(schema: schema, script: try script.text()))
            }
        } catch {
            throw failure(error)
        }
    }

    func rewind(to mark: StoreMark) throws(CoreDataError) {
        guard let content = mark.content as? Mark, content.schema == schemaName else {
            throw CoreDataError(
                .invalidArgument,
                "A store on a server can only return to a mark of its own schema; mark the store"
                    + " \(connections.address) first.")
        }
        do throws(ServerError) {
            try connections.run { connection throws(ServerError) in
                try connection.runScript(content.script)
            }
        } catch {
            throw failure(error)
        }
        keys.forget()
        notePendingMetadataWritten()
    }
}

/// Writes the script that restores the present contents of a store.
private struct MarkScript {
    private let schema: String
    private let history: HistoryTexts
    private let connection: Connection

    /// - Parameter schema: the name of the schema in SQL.
    init(_ schema: String, _ history: HistoryTexts, _ connection: Connection) {
        self.schema = schema
        self.history = history
        self.connection = connection
    }

    func text() throws(ServerError) -> String {
        let record = try connection.execute(
            "SELECT tables, metadata FROM \(schema).\(SystemTables.store)")
        let tables = try tables(record.first?.elements.map(\.text) ?? [])
        let metadata = record.rowCount > 0 ? record[0, 1].text : ""
        var script = ["BEGIN"]
        // The rows of join tables refer to the rows of the tables before them.
        script += tables.reversed().map { "DELETE FROM \($0)" }
        for table in tables {
            guard let rows = try rows(of: table) else { continue }
            // The rows are the elements of an array, whose text contains every value exactly.
            script.append(
                "INSERT INTO \(table) OVERRIDING SYSTEM VALUE SELECT * FROM"
                    + " unnest(\(Connection.literal(rows))::\(table)[])")
        }
        script += try sequences()
        script.append(
            "UPDATE \(schema).\(SystemTables.store) SET metadata = \(Connection.literal(metadata))")
        script.append("COMMIT")
        return script.joined(separator: ";\n")
    }

    /// The tables whose rows can change, with their schema.
    private func tables(_ all: [String]) throws(ServerError) -> [String] {
        let fixed = [SystemTables.store, SystemTables.entities]
        let hasHistory = try history.exist(connection)
        let changing = all.filter { !fixed.contains($0) } + (hasHistory ? HistoryTexts.tables : [])
        return changing.map { "\(schema).\($0)" }
    }

    /// The rows as the text of an array; nil for an empty table.
    private func rows(of table: String) throws(ServerError) -> String? {
        try connection.firstText("SELECT array_agg(t)::text FROM \(table) t")
    }

    private func sequences() throws(ServerError) -> [String] {
        let parameters = Parameters()
        try parameters.append(text: schema)
        let names = try connection.execute(
            "SELECT quote_ident(relname) FROM pg_class WHERE relkind = 'S'"
                + " AND relnamespace = to_regnamespace($1) ORDER BY relname", parameters)
        var statements: [String] = []
        for row in 0..<names.rowCount {
            let name = "\(schema).\(names[row, 0].text)"
            let state = try connection.execute("SELECT last_value, is_called FROM \(name)")
            statements.append(
                "SELECT setval(\(Connection.literal(name)), \(state[0, 0].integer),"
                    + " \(state[0, 1].bool))")
        }
        return statements
    }
}
