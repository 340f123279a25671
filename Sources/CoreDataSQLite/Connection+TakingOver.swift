/// Replaces the content of a database by that of another one, inside a transaction.
extension Connection {
    /// Drops the content of the database and copies the content of another file.
    ///
    /// The caller must have begun a transaction, so both steps take effect or neither. Runs two
    /// statements for each table, and one for each index, view and trigger.
    package func takeOver(contentOf path: String) throws(SQLiteError) {
        let attach = try Statement("ATTACH ? AS made", database: handle, recorder: recorder)
        attach.bind(1, text: path)
        try attach.run()
        for item in try schema(of: "main").reversed() where item.kind != "index" {
            try execute("DROP \(item.kind) IF EXISTS main.\(quoted(item.name))")
        }
        let items = try schema(of: "made")
        for item in items where item.kind == "table" {
            try execute(item.sql)
            let name = quoted(item.name)
            try execute("INSERT INTO main.\(name) SELECT * FROM made.\(name)")
        }
        for item in items where item.kind != "table" { try execute(item.sql) }
        // Frees unused pages, if the file was created with incremental vacuuming.
        try execute("PRAGMA main.incremental_vacuum")
    }

    private struct SchemaItem {
        let kind: String
        let name: String
        let sql: String
    }

    /// The schema objects that SQL statements created, in an order in which they can be created
    /// again. Without the shadow tables of a virtual table, which SQLite creates and drops with it.
    private func schema(of database: String) throws(SQLiteError) -> [SchemaItem] {
        let statement = try statement(
            "SELECT m.type, m.name, m.sql FROM \(database).sqlite_schema m"
                + " LEFT JOIN pragma_table_list t ON t.schema = '\(database)' AND t.name = m.name"
                + " WHERE m.sql IS NOT NULL AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
                + " AND t.type IS NOT 'shadow' ORDER BY m.rowid")
        defer { statement.finish() }
        var items: [SchemaItem] = []
        while try statement.step() {
            items.append(
                SchemaItem(
                    kind: statement.text(0), name: statement.text(1), sql: statement.text(2)))
        }
        return items
    }

    private func quoted(_ name: String) -> String {
        let escaped = name.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"")
        return "\"\(escaped)\""
    }
}
