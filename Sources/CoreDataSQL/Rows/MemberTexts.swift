import CoreDataModel

/// The SQL statements that read one to-many relationship.
package struct MemberTexts: Sendable {
    private let storage: ToManyStorage
    private let destination: EntityLayout
    private let schema: StoreSchema

    /// Nil if the store does not keep the relationship.
    package init?(_ slot: ToManySlot, schema: StoreSchema) {
        if case .none = slot.storage { return nil }
        storage = slot.storage
        destination = schema.layout[slot.destinationIndex]
        self.schema = schema
    }

    /// Whether ``all(_:)`` returns whole rows. If false, it returns keys, and a second statement
    /// fetches the rows.
    package var readsRows: Bool {
        if case .foreignKey = storage { return true }
        return false
    }

    private var key: String { "t0.\(schema.names.key)" }

    private var ascending: String { schema.dialect.direction(isAscending: true) }

    /// The columns of a member's key: its entity number and its primary key.
    private var keys: String { schema.identity(of: destination, in: "t0.") }

    /// Selects the keys of one owner's members.
    package var one: String {
        switch storage {
        case .none: return ""
        case .foreignKey(let column, _, let orderColumn):
            return schema.text(
                "SELECT \(keys) FROM \(destination.tableName) t0 WHERE  t0.\(column) = " + .open
                    + " " + (orderColumn.map { "ORDER BY t0.\($0)\(ascending), \(key)" } ?? ""))
        case .joinTable(let table, let owner, let member, let orderColumn, _):
            return schema.text(
                "SELECT \(keys) FROM \(table) t1 \(join(member)) WHERE t1.\(owner) = " + .open
                    + " " + (orderColumn.map { "ORDER BY t1.\($0)\(ascending), \(key)" } ?? ""))
        }
    }

    /// Selects the members of many owners. The last column is the owner's position, from 1.
    ///
    /// - Parameter list: the columns of a member's row.
    package func all(_ list: String) -> String {
        let owners = " FROM " + schema.dialect.table(of: .open) + " \(schema.dialect.listJoin) "
        switch storage {
        case .none: return ""
        case .foreignKey(let column, _, let orderColumn):
            return schema.text(
                "SELECT \(list), a.rowid" + owners
                    + "\(destination.tableName) t0 ON t0.\(column) = a.value ORDER BY a.rowid"
                    + (orderColumn.map { ", t0.\($0)\(ascending), \(key)" } ?? ""))
        case .joinTable(let table, let owner, let member, let orderColumn, _):
            return schema.text(
                "SELECT \(keys), a.rowid" + owners
                    + "\(table) t1 ON t1.\(owner) = a.value \(join(member)) ORDER BY a.rowid"
                    + (orderColumn.map { ", t1.\($0)\(ascending), \(key)" } ?? ""))
        }
    }

    private func join(_ member: String) -> String {
        "JOIN \(destination.tableName) t0 ON \(key) = t1.\(member)"
    }
}
