import CoreDataModel

/// The properties of a store that affect its SQL statements.
///
/// This is a class because every statement of the store keeps a reference to it.
package final class StoreSchema: Sendable {
    package let layout: ModelLayout
    package let numbers: EntityNumbers
    package let names: RowNames
    package let dialect: any Dialect
    /// The R-tree tables of spatial indexes that exist in the store.
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

/// The columns that the table of every root entity has.
package struct RowNames: Sendable {
    package let key: String
    /// The column with the entity number of the row.
    package let entity: String
    /// The column with the version of the row, which each change increments.
    package let version: String

    package init(key: String, entity: String, version: String) {
        self.key = key
        self.entity = entity
        self.version = version
    }
}

extension StoreSchema {
    /// The text of a statement whose values are bound before each run.
    func text(_ fragment: Fragment) -> String { fragment.spelled(in: dialect).sql }

    /// Two expressions that identify a row: its entity number, or 0 if the entity has no
    /// subentities, and its key.
    ///
    /// - Parameter row: the alias of the row's table followed by a dot, or an empty string.
    func identity(of entity: EntityLayout, in row: String) -> String {
        "\(entity.hasSubentities ? "\(row)\(names.entity)" : "0"), \(row)\(names.key)"
    }

    /// The part of a SELECT from ` FROM` on. It returns the rows with the given keys, in the order
    /// of the keys. The alias of the rows' table is `t0`.
    func rows(of entity: EntityLayout, in keys: Fragment) -> Fragment {
        " FROM " + dialect.table(of: keys)
            + " \(dialect.listJoin) \(entity.tableName) t0 ON t0.\(names.key) = a.value"
            + " ORDER BY a.rowid"
    }
}
