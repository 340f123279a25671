import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore

/// Adds the rows of a batch by COPY in the server's binary form. Used for entities without unique
/// values.
struct BatchCopy {
    /// The entity's layout, with the names of tables and columns on the server.
    let entity: EntityLayout
    let rows: SavePlan.Insert
    let schema: StoreSchema

    /// An INSERT of fewer rows is faster, because it takes only one round trip.
    static let rowsMin = 200

    private var columns: [String] {
        [schema.names.key, schema.names.entity, schema.names.version]
            + entity.values.flatMap { slot in
                slot.column.map { [$0, slot.toOne?.entityColumn].compactMap(\.self) } ?? []
            }
    }

    func run(_ connection: Connection) throws(ServerError) {
        let columns = columns
        let sql =
            "COPY \(entity.tableName)(\(columns.joined(separator: ", ")))"
            + " FROM STDIN (FORMAT binary)"
        try connection.copy(sql, columnCount: columns.count) { writer throws(ServerError) in
            for row in rows.keys.indices { try write(row, writer) }
        }
    }

    private func write(_ row: Int, _ writer: CopyWriter) throws(ServerError) {
        try writer.beginRow()
        writer.append(int8: rows.keys[row])
        append(entity.index, writer)
        writer.append(int4: 1)
        for (slot, value) in entity.values.enumerated() where value.column != nil {
            do throws(ServerError) {
                try writer.append(rows.cells(row), slot, value.kind)
            } catch {
                throw ServerError(
                    client: "The value of '\(entity.name).\(value.name)' cannot be stored on the"
                        + " server: \(error.message). Change the value, and try again.")
            }
            guard value.toOne?.entityColumn != nil else { continue }
            if case .reference(let key) = rows.value(row, slot) {
                append(Int(key.entity), writer)
            } else {
                writer.appendNull()
            }
        }
    }

    private func append(_ entity: Int, _ writer: CopyWriter) {
        writer.append(int4: Int32(truncatingIfNeeded: schema.numbers.number(of: entity)))
    }
}
