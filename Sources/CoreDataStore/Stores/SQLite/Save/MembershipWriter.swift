import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// Writes the members of to-many relationships that are not in a slot of a row.
///
/// All removals come before all additions, because a save may move a member from one owner to
/// another.
struct MembershipWriter {
    package let layout: ModelLayout
    package let numbers: EntityNumbers
    package let connection: Connection

    package func write(_ memberships: [SavePlan.Membership]) throws(SQLiteError) {
        assert(connection.isInTransaction, "members are changed outside a transaction")
        for membership in memberships { try remove(membership) }
        for membership in memberships { try add(membership) }
        for membership in memberships { try order(membership) }
    }

    private func slot(_ membership: SavePlan.Membership) -> ToManySlot {
        layout[membership.entity.index].toMany[membership.slot]
    }

    /// Runs a statement for each pair. A relationship that is its own inverse also needs the
    /// reverse pair, because a merge policy may have dropped the change at one end.
    private func run(
        _ statement: Statement, _ membership: SavePlan.Membership, _ members: [ObjectKey]
    ) throws(SQLiteError) {
        let isReflexive = layout.isReflexive(membership.slot, of: membership.entity)
        for member in members {
            statement.bind(1, integer: membership.owner)
            statement.bind(2, integer: member.key)
            try statement.run()
            guard isReflexive, member.key != membership.owner else { continue }
            statement.bind(1, integer: member.key)
            statement.bind(2, integer: membership.owner)
            try statement.run()
        }
    }

    private func remove(_ membership: SavePlan.Membership) throws(SQLiteError) {
        guard !membership.removed.isEmpty else { return }
        let slot = slot(membership)
        let sql: String
        switch slot.storage {
        case .joinTable(let table, let owner, let destination, _, _):
            sql = "DELETE FROM \(table) WHERE \(owner) = ? AND \(destination) = ?"
        case .foreignKey(let column, let entityColumn, let order) where slot.inverse == .none:
            let cleared = [column, entityColumn, order].compactMap { $0 }.map { "\($0) = NULL" }
            sql =
                "UPDATE \(layout[slot.destinationIndex].tableName) "
                + "SET \(cleared.joined(separator: ", ")) WHERE \(column) = ? AND Z_PK = ?"
        case .foreignKey(let column, _, let order?):
            // The member's foreign key is already written. If it is NULL, the order number must be
            // cleared, too. Otherwise the member has an owner: a new one, or the former one that a
            // merge policy kept.
            sql =
                "UPDATE \(layout[slot.destinationIndex].tableName) SET \(order) = NULL "
                + "WHERE \(column) IS NULL AND Z_PK = ?2"
        case .foreignKey, .none: return
        }
        try run(try connection.statement(sql), membership, membership.removed)
    }

    private func add(_ membership: SavePlan.Membership) throws(SQLiteError) {
        let slot = slot(membership)
        switch slot.storage {
        case .joinTable(let table, let owner, let destination, let order, let inverseOrder):
            // Both ends may contain the same pair. If an existing pair has an order number, it
            // keeps the number.
            let verb = order == nil && inverseOrder == nil ? "REPLACE" : "IGNORE"
            let statement = try connection.statement(
                "INSERT OR \(verb) INTO \(table)(\(owner), \(destination)) VALUES(?, ?)")
            try run(statement, membership, membership.added)
        case .foreignKey(let column, let entityColumn, _) where slot.inverse == .none:
            let set = [column, entityColumn].compactMap { $0 }.map { "\($0) = ?" }
            let statement = try connection.statement(
                "UPDATE \(layout[slot.destinationIndex].tableName) "
                    + "SET \(set.joined(separator: ", ")) WHERE Z_PK = ?")
            for member in membership.added {
                statement.bind(1, integer: membership.owner)
                if entityColumn != nil {
                    statement.bind(2, integer: numbers.number(of: membership.entity.index))
                }
                statement.bind(set.count + 1, integer: member.key)
                try statement.run()
            }
        case .foreignKey, .none: break
        }
    }
}

// MARK: Order

extension MembershipWriter {
    /// The column with the order numbers of an ordered relationship.
    private struct OrderColumn {
        let table: String
        let owner: String
        let member: String
        let order: String

        init?(_ slot: ToManySlot, layout: ModelLayout) {
            switch slot.storage {
            case .foreignKey(let column, _, let order?):
                table = layout[slot.destinationIndex].tableName
                owner = column
                member = "Z_PK"
                self.order = order
            case .joinTable(let table, let owner, let destination, let order?, _):
                self.table = table
                self.owner = owner
                member = destination
                self.order = order
            case .foreignKey, .joinTable, .none: return nil
            }
        }
    }

    private func order(_ membership: SavePlan.Membership) throws(SQLiteError) {
        guard let members = membership.order,
            let column = OrderColumn(slot(membership), layout: layout)
        else { return }
        let (known, others) = try places(membership, column)
        let changes = OrderValues.changes(
            to: members.map(\.key), places: known, unplaced: others)
        guard !changes.isEmpty else { return }
        let statement = try connection.statement(
            "UPDATE \(column.table) SET \(column.order) = ? "
                + "WHERE \(column.owner) = ? AND \(column.member) = ?")
        for change in changes {
            statement.bind(1, integer: change.value)
            statement.bind(2, integer: membership.owner)
            statement.bind(3, integer: change.key)
            try statement.run()
        }
    }

    /// The order numbers of members, and the members without one. A member that comes from another
    /// owner counts as one without a number.
    private func places(
        _ membership: SavePlan.Membership, _ column: OrderColumn
    ) throws(SQLiteError) -> (known: [Int64: Int64], others: [Int64]) {
        let statement = try connection.statement(
            "SELECT \(column.member), \(column.order) FROM \(column.table) "
                + "WHERE \(column.owner) = ?")
        defer { statement.finish() }
        statement.bind(1, integer: membership.owner)
        var places: [Int64: Int64] = [:]
        var others: [Int64] = []
        while try statement.step() {
            if statement.isNull(1) {
                others.append(statement.integer(0))
            } else {
                places[statement.integer(0)] = statement.integer(1)
            }
        }
        for member in membership.added { places[member.key] = nil }
        return (places, others)
    }
}
