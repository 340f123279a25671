import CoreDataModel

/// The parts of a store that the builders of its statements know.
package struct StoreSchema: Sendable {
    /// The model's layout, with the store's names of tables and columns.
    package let layout: ModelLayout
    package let numbers: EntityNumbers
    package let names: RowNames
    package let dialect: any Dialect
    /// The existing tables of spatial indexes.
    package let boxTables: Set<String>

    package init(
        layout: ModelLayout, numbers: EntityNumbers, names: RowNames, dialect: any Dialect,
        boxTables: Set<String> = []
    ) {
        self.layout = layout
        self.numbers = numbers
        self.names = names
        self.dialect = dialect
        self.boxTables = boxTables
    }
}

/// The columns that the table of each root entity has.
package struct RowNames: Sendable {
    package let key: String
    /// The number of the row's entity.
    package let entity: String
    /// The version, which each change increments.
    package let version: String

    package init(key: String, entity: String, version: String) {
        self.key = key
        self.entity = entity
        self.version = version
    }
}

extension StoreSchema {
    /// Two columns that identify a row: the number of its entity, or 0 if all rows of its table
    /// have one, and the key.
    ///
    /// - Parameter row: the row's table and a point, or nothing.
    func identity(of entity: EntityLayout, in row: String) -> String {
        "\(entity.hasSubentities ? "\(row)\(names.entity)" : "0"), \(row)\(names.key)"
    }

    /// Rows by their keys, in the order of the keys: a SELECT from ` FROM` on, with the rows' table
    /// as `t0`.
    func rows(of entity: EntityLayout, in keys: Fragment) -> Fragment {
        " FROM " + dialect.table(of: keys)
            + " \(dialect.listJoin) \(entity.tableName) t0 ON t0.\(names.key) = a.value"
            + " ORDER BY a.rowid"
    }
}
