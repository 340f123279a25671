import CoreDataModel
import CoreDataPostgreSQLClient

/// The tables and columns that exist in a schema.
struct StoreColumns {
    private let found: Set<String>
    private let prefix: String

    init(_ schema: String, _ connection: Connection) throws(ServerError) {
        let parameters = Parameters()
        try parameters.append(text: schema)
        let result = try connection.execute(
            "SELECT quote_ident(c.relname), quote_ident(a.attname)"
                + " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                + " JOIN pg_attribute a ON a.attrelid = c.oid"
                + " WHERE n.nspname = $1 AND a.attnum > 0 AND NOT a.attisdropped", parameters)
        found = Set(
            (0..<result.rowCount).map {
                Self.plain("\(result[$0, 0].text).\(result[$0, 1].text)")
            })
        prefix = "\(Identifier(schema).sql)."
    }

    private static func plain(_ name: String) -> String { name.replacing("\"", with: "") }

    /// The first attribute or relationship without a column; nil if the schema has all columns.
    ///
    /// - Parameters:
    ///   - layout: a layout with the names on the server.
    ///   - entities: the indexes of the entities to check; nil for all.
    func missing(
        _ layout: ModelLayout, _ entities: Set<Int>?
    ) -> (entity: EntityLayout, slot: ValueSlot, table: String, column: String)? {
        for entity in layout.entities where entities?.contains(entity.index) ?? true {
            let table = String(entity.tableName.dropFirst(prefix.count))
            for slot in entity.values {
                guard let column = slot.column, !found.contains(Self.plain("\(table).\(column)"))
                else { continue }
                return (entity, slot, table, column)
            }
        }
        return nil
    }
}
