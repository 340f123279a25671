import CoreDataModel

/// The statements that read and delete rows of one entity by their keys, for a store that runs them
/// repeatedly and binds their values.
package struct RowTexts: Sendable {
    private let entity: EntityLayout
    private let schema: StoreSchema
    /// The columns of a row.
    private let list: String

    package init(_ entity: EntityLayout, schema: StoreSchema, list: String) {
        self.entity = entity
        self.schema = schema
        self.list = list
    }

    private var key: String { schema.names.key }
    private var version: String { schema.names.version }

    private func spelled(_ fragment: Fragment) -> String {
        fragment.spelled(in: schema.dialect).sql
    }

    /// The row's key and the number of its entity.
    package var identity: String { schema.identity(of: entity, in: "t0.") }

    /// One row.
    package var row: String {
        spelled("SELECT \(list) FROM \(entity.tableName) t0 WHERE  t0.\(key) = " + .open + " ")
    }

    /// Rows in the order of a list of keys.
    package var rows: String { spelled("SELECT \(list)" + schema.rows(of: entity, in: .open)) }

    /// Deletes a row that still has a version.
    package var delete: String {
        spelled(
            "DELETE FROM \(entity.tableName) WHERE \(key) = " + .open + " AND \(version) = "
                + .open)
    }

    /// Deletes rows with keys from the first to the last that still have a version.
    package var deleteRun: String {
        spelled(
            "DELETE FROM \(entity.tableName) WHERE \(key) BETWEEN " + .open + " AND " + .open
                + " AND \(version) = " + .open)
    }

    /// The version of a row.
    package var readVersion: String {
        spelled("SELECT \(version) FROM \(entity.tableName) WHERE \(key) = " + .open)
    }
}
