import CoreDataModel

/// The SQL statements that read and delete rows of one entity by key.
package struct RowTexts: Sendable {
    private let entity: EntityLayout
    private let schema: StoreSchema
    private let list: String

    package init(_ entity: EntityLayout, schema: StoreSchema, list: String) {
        self.entity = entity
        self.schema = schema
        self.list = list
    }

    private var key: String { schema.names.key }
    private var version: String { schema.names.version }

    /// The columns of a row's primary key and entity number.
    package var identity: String { schema.identity(of: entity, in: "t0.") }

    package var row: String {
        schema.text("SELECT \(list) FROM \(entity.tableName) t0 WHERE  t0.\(key) = " + .open + " ")
    }

    /// Selects rows in the order of a list of keys.
    package var rows: String { schema.text("SELECT \(list)" + schema.rows(of: entity, in: .open)) }

    /// Deletes a row if it still has the expected version.
    package var delete: String {
        schema.text(
            "DELETE FROM \(entity.tableName) WHERE \(key) = " + .open + " AND \(version) = "
                + .open)
    }

    /// Deletes the rows in a range of keys that still have the expected version.
    package var deleteRun: String {
        schema.text(
            "DELETE FROM \(entity.tableName) WHERE \(key) BETWEEN " + .open + " AND " + .open
                + " AND \(version) = " + .open)
    }

    package var readVersion: String {
        schema.text("SELECT \(version) FROM \(entity.tableName) WHERE \(key) = " + .open)
    }
}
