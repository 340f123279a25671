import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore

/// The statements that write to-many relationships: join tables, foreign keys of relationships
/// without an inverse, and order numbers.
///
/// All removals come before all additions, because a member may move from one owner to another in
/// one save. Each relationship needs at most one statement for removals, for additions and for
/// order numbers.
struct MemberStatements {
    private let schema: StoreSchema
    /// The changes of one relationship.
    private let groups: [Group]
    /// The last of several new owners, for relationships without an inverse. A row has one column
    /// for its owner.
    private let lastOwners: [Member: Int64]

    /// A column for the owner of a row.
    private struct Member: Hashable {
        let table: String
        let column: String
        let key: Int64
    }

    private struct Group {
        let entity: EntityLayout
        let index: Int
        let changes: [SavePlan.Membership]

        var slot: ToManySlot { entity.toMany[index] }
    }

    private var layout: ModelLayout { schema.layout }

    init(_ plan: SavePlan, schema: StoreSchema) {
        self.schema = schema
        var places: [Int: Int] = [:]
        var found: [(entity: Int, slot: Int, changes: [SavePlan.Membership])] = []
        for change in plan.memberships {
            let id = change.entity.index << 16 | change.slot
            if let place = places[id] {
                found[place].changes.append(change)
            } else {
                places[id] = found.count
                found.append((change.entity.index, change.slot, [change]))
            }
        }
        groups = found.map {
            Group(entity: schema.layout[$0.entity], index: $0.slot, changes: $0.changes)
        }
        var owners: [Member: Int64] = [:]
        for change in plan.memberships where !change.added.isEmpty {
            let slot = schema.layout[change.entity.index].toMany[change.slot]
            guard case .foreignKey(let column, _, _) = slot.storage, slot.inverse == .none else {
                continue
            }
            let table = schema.layout[slot.destinationIndex].tableName
            for member in change.added {
                owners[Member(table: table, column: column, key: member.key)] = change.owner
            }
        }
        lastOwners = owners
    }

    /// The statements that remove and add members.
    var changes: [PipelinedStatement] {
        groups.compactMap(removal) + groups.compactMap(addition)
    }

    /// The pairs of owner and member. A relationship that is its own inverse has each pair in both
    /// directions.
    ///
    /// - Parameter isIncluded: selects pairs of owner and member.
    private func pairs(
        _ group: Group, _ members: KeyPath<SavePlan.Membership, [ObjectKey]>,
        where isIncluded: (Int64, Int64) -> Bool = { _, _ in true }
    ) -> Parameters? {
        let isReflexive = layout.isReflexive(group.index, of: group.entity)
        var owners: ContiguousArray<Int64> = []
        var keys: ContiguousArray<Int64> = []
        for change in group.changes {
            for member in change[keyPath: members] where isIncluded(change.owner, member.key) {
                owners.append(change.owner)
                keys.append(member.key)
                guard isReflexive, member.key != change.owner else { continue }
                owners.append(member.key)
                keys.append(change.owner)
            }
        }
        if owners.isEmpty { return nil }
        let parameters = Parameters()
        parameters.append(int8s: owners)
        parameters.append(int8s: keys)
        return parameters
    }

    private func removal(_ group: Group) -> PipelinedStatement? {
        guard let pairs = pairs(group, \.removed) else { return nil }
        let (key, source) = (schema.names.key, "unnest($1, $2) AS a(o, m)")
        let destination = layout[group.slot.destinationIndex].tableName
        switch group.slot.storage {
        case .joinTable(let table, let owner, let member, _, _):
            return PipelinedStatement(
                "DELETE FROM \(table) t USING \(source) WHERE t.\(owner) = a.o"
                    + " AND t.\(member) = a.m", pairs)
        case .foreignKey(let column, let entityColumn, let order) where group.slot.inverse == .none:
            let cleared = [column, entityColumn, order].compactMap { $0 }.map { "\($0) = NULL" }
            return PipelinedStatement(
                "UPDATE \(destination) t SET \(cleared.joined(separator: ", ")) FROM \(source)"
                    + " WHERE t.\(column) = a.o AND t.\(key) = a.m", pairs)
        case .foreignKey(let column, _, let order?):
            // Only a member that no longer has any owner loses its order number. The foreign keys
            // of the other side are already written.
            return PipelinedStatement(
                "UPDATE \(destination) t SET \(order) = NULL FROM \(source)"
                    + " WHERE t.\(column) IS NULL AND t.\(key) = a.m", pairs)
        case .foreignKey, .none: return nil
        }
    }

    private func addition(_ group: Group) -> PipelinedStatement? {
        let key = schema.names.key
        let destination = layout[group.slot.destinationIndex].tableName
        let pairs = self.pairs(group, \.added) { owner, member in
            guard case .foreignKey(let column, _, _) = group.slot.storage else { return true }
            let last = lastOwners[Member(table: destination, column: column, key: member)]
            return last == nil || last == owner
        }
        guard let pairs else { return nil }
        switch group.slot.storage {
        case .joinTable(let table, let owner, let member, _, _):
            // The plan may contain a pair twice, once from each end. Another transaction may have
            // deleted one of the two rows.
            return PipelinedStatement(
                "INSERT INTO \(table)(\(owner), \(member)) SELECT a.o, a.m"
                    + " FROM unnest($1, $2) AS a(o, m)"
                    + " WHERE EXISTS (SELECT FROM \(group.entity.tableName) WHERE \(key) = a.o)"
                    + " AND EXISTS (SELECT FROM \(destination) WHERE \(key) = a.m)"
                    + " ON CONFLICT DO NOTHING", pairs)
        case .foreignKey(let column, let entityColumn, _) where group.slot.inverse == .none:
            let number = schema.numbers.number(of: group.entity.index)
            let entity = entityColumn.map { ", \($0) = \(number)" } ?? ""
            return PipelinedStatement(
                "UPDATE \(destination) t SET \(column) = a.o\(entity)"
                    + " FROM unnest($1, $2) AS a(o, m) WHERE t.\(key) = a.m", pairs)
        case .foreignKey, .none: return nil
        }
    }
}

// MARK: Order

extension MemberStatements {
    /// The column with the order numbers of an ordered relationship.
    private struct OrderColumn {
        let table: String
        let owner: String
        let member: String
        let order: String
    }

    private func orderColumn(_ group: Group) -> OrderColumn? {
        switch group.slot.storage {
        case .foreignKey(let column, _, let order?):
            OrderColumn(
                table: layout[group.slot.destinationIndex].tableName, owner: column,
                member: schema.names.key, order: order)
        case .joinTable(let table, let owner, let member, let order?, _):
            OrderColumn(table: table, owner: owner, member: member, order: order)
        case .foreignKey, .joinTable, .none: nil
        }
    }

    /// The relationships whose members have a new order.
    private var ordered: [(group: Group, column: OrderColumn)] {
        groups.compactMap { group in
            guard group.changes.contains(where: { $0.order != nil }),
                let column = orderColumn(group)
            else { return nil }
            return (group, column)
        }
    }

    /// The statements that read the present order numbers, after the members were changed.
    var places: [PipelinedStatement] {
        ordered.map { group, column in
            let parameters = Parameters()
            parameters.append(int8s: group.changes.map(\.owner))
            return PipelinedStatement(
                "SELECT \(column.owner), \(column.member), \(column.order) FROM \(column.table)"
                    + " WHERE \(column.owner) = ANY($1) ORDER BY \(column.member)", parameters)
        }
    }

    /// The statements that write the new order numbers.
    ///
    /// - Parameter results: the results of ``places``.
    func orders(_ results: ArraySlice<QueryResult>) -> [PipelinedStatement] {
        zip(ordered, results).compactMap { ordered, result in
            let (group, column) = ordered
            let found = OwnersPlaces(result)
            var (owners, members, numbers) = ([Int64](), [Int64](), [Int64]())
            for change in group.changes {
                guard let order = change.order else { continue }
                var (known, others) = found.places(of: change.owner)
                // A member that comes from another owner counts as a member without a number.
                for member in change.added { known[member.key] = nil }
                for new in OrderValues.changes(
                    to: order.map(\.key), places: known, unplaced: others)
                {
                    owners.append(change.owner)
                    members.append(new.key)
                    numbers.append(new.value)
                }
            }
            if owners.isEmpty { return nil }
            let parameters = Parameters()
            for values in [owners, members, numbers] { parameters.append(int8s: values) }
            return PipelinedStatement(
                "UPDATE \(column.table) t SET \(column.order) = a.n"
                    + " FROM unnest($1, $2, $3) AS a(o, m, n)"
                    + " WHERE t.\(column.owner) = a.o AND t.\(column.member) = a.m", parameters)
        }
    }

    /// The order numbers of the members of each owner.
    private struct OwnersPlaces {
        private var known: [Int64: [Int64: Int64]] = [:]
        private var others: [Int64: [Int64]] = [:]

        init(_ result: QueryResult) {
            for row in 0..<result.rowCount {
                let (owner, member) = (result[row, 0].integer, result[row, 1].integer)
                if result[row, 2].isNull {
                    others[owner, default: []].append(member)
                } else {
                    known[owner, default: [:]][member] = result[row, 2].integer
                }
            }
        }

        func places(of owner: Int64) -> (known: [Int64: Int64], others: [Int64]) {
            (known[owner] ?? [:], others[owner] ?? [])
        }
    }
}
