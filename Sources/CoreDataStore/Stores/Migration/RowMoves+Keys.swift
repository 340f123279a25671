import CoreDataModel
import CoreDataSQL

// Columns of relationships in the tables of entities, and join tables.

extension RowMoves {
    private var rowKey: String { dialect.rows.key }

    /// The place in the source from which a foreign key is read.
    enum KeySource {
        case none
        case column(MembershipSource.ForeignKey)
        /// The pair of the member and its owner. A member may have at most one.
        case lookUp(MembershipSource.Pairs, owner: Int)
    }

    /// The SQL expressions for a foreign key and for its entity column.
    func keyExpressions(
        _ key: KeySource, column: String, entityColumn: String?, on table: String
    ) -> [String: TableMove.Expression] {
        var result: [String: TableMove.Expression] = [column: .literal("NULL")]
        if let entityColumn { result[entityColumn] = .literal("NULL") }
        switch key {
        case .none: break
        case .column(let key):
            let numbers = renumbering(key.target)
            let lost = numbers.filter { $0.new == nil }.map { String($0.old) }
            if lost.isEmpty {
                result[column] = .column(key.column)
            } else if let old = key.entityColumn {
                result[column] = .other(
                    "CASE WHEN \(old) IN (\(lost.joined(separator: ", "))) THEN NULL "
                        + "ELSE \(key.column) END")
            }
            if let entityColumn { result[entityColumn] = entityExpression(key, numbers) }
        case .lookUp(let pairs, let owner):
            let numbers = renumbering(owner)
            let owners = source[owner].tableName
            let isKept = keptRows("Y", owner).map { " AND \($0)" } ?? ""
            let from =
                "FROM (\(pairs.sql)) X JOIN \(owners) Y ON Y.\(rowKey) = X.A "
                + "WHERE X.B = \(table).\(rowKey)\(isKept)"
            result[column] = .other("(SELECT Y.\(rowKey) \(from))")
            if let entityColumn {
                let number =
                    source[source[owner].rootIndex].hasSubentities
                    ? caseExpression("Y.\(dialect.rows.entity)", numbers) : entityLiteral(numbers)
                result[entityColumn] = .other("(SELECT \(number) \(from))")
            }
        }
        return result
    }

    /// The number of each entity of a family in the old and in the new model. The new number is nil
    /// if the entity was removed.
    private func renumbering(_ index: Int) -> [(old: Int64, new: Int64?)] {
        source[index].familyRange.filter { !source[$0].isAbstract }.map { member in
            let new = mapping.entities.firstIndex { $0.source == member }
            return (sourceNumbers.number(of: member), new.map(destinationNumbers.number(of:)))
        }
    }

    private func entityLiteral(_ numbers: [(old: Int64, new: Int64?)]) -> String {
        (numbers.first?.new).map(String.init) ?? "NULL"
    }

    /// A condition that excludes rows of removed entities; nil if no entity was removed.
    private func keptRows(_ alias: String, _ index: Int) -> String? {
        guard losesRows(index) else { return nil }
        let kept = renumbering(index).filter { $0.new != nil }.map { String($0.old) }
        return "\(alias).\(dialect.rows.entity) IN (\(kept.joined(separator: ", ")))"
    }

    private func entityExpression(
        _ key: MembershipSource.ForeignKey, _ numbers: [(old: Int64, new: Int64?)]
    ) -> TableMove.Expression {
        guard let old = key.entityColumn else {
            guard let number = numbers.first?.new else { return .literal("NULL") }
            return .other("CASE WHEN \(key.column) IS NULL THEN NULL ELSE \(number) END")
        }
        if numbers.allSatisfy({ $0.old == $0.new }) { return .column(old) }
        return .other(caseExpression(old, numbers))
    }

    private func caseExpression(_ column: String, _ numbers: [(old: Int64, new: Int64?)]) -> String
    {
        let cases = numbers.map { "WHEN \($0.old) THEN \($0.new.map(String.init) ?? "NULL")" }
        return "CASE \(column) \(cases.joined(separator: " ")) END"
    }

    // MARK: To-many relationships on the member's table

    /// The foreign keys of to-many relationships without an inverse, and the order columns.
    func fillMemberColumns(_ piece: inout TableMove.Piece, _ entity: EntityLayout) {
        for owner in destination.entities {
            let inherited = owner.superIndex.map { destination[$0].toMany.count } ?? 0
            for slot in owner.toMany.indices.dropFirst(inherited) {
                let relationship = owner.toMany[slot]
                guard destination[relationship.destinationIndex].familyRange.contains(entity.index),
                    case .foreignKey(let column, let entityColumn, let order) = relationship.storage
                else { continue }
                let key = memberKey(owner, slot, entity)
                if relationship.inverse == .none {
                    let made = keyExpressions(
                        key, column: column, entityColumn: entityColumn, on: piece.sourceTable)
                    piece.expressions.merge(made) { $1 }
                }
                guard let order else { continue }
                piece.expressions[order] = orderExpression(key, on: piece.sourceTable)
            }
        }
    }

    func memberKey(
        _ owner: EntityLayout, _ slot: Int, _ member: EntityLayout
    ) -> KeySource {
        let map = mapping.entities[owner.index]
        if let index = map.source, map.toMany[slot] != .none {
            return memberships.key(map.toMany[slot], of: index)
        }
        let memberMap = mapping.entities[member.index]
        guard case .value(let inverse) = owner.toMany[slot].inverse, let index = memberMap.source,
            let key = memberships.ownKey(memberMap.values[inverse], of: index)
        else { return .none }
        return .column(key)
    }

    private func orderExpression(_ key: KeySource, on table: String) -> TableMove.Expression {
        guard case .column(let key) = key else { return .literal("NULL") }
        if let order = key.orderColumn { return .column(order) }
        let before =
            "SELECT COUNT(*) FROM \(table) X WHERE X.\(key.column) = \(table).\(key.column)"
            + " AND X.\(rowKey) < \(table).\(rowKey)"
        return .other(
            "CASE WHEN \(key.column) IS NULL THEN NULL "
                + "ELSE \(OrderValues.first) + \(OrderValues.step) * (\(before)) END")
    }
}

// MARK: Tables of pairs

extension RowMoves {
    /// A relationship of the new model, whose owners' keys are in one column of a join table.
    package struct End {
        let owner: EntityLayout
        let slot: Int
        let storage: ToManyStorage
        let ownerColumn: String
        let memberColumn: String
        let order: String?
        let inverseOrder: String?
    }

    package func end(ofTable name: String, ownerColumn: String) -> End? {
        for owner in destination.entities {
            for (slot, relationship) in owner.toMany.enumerated() {
                if case .joinTable(name, ownerColumn, let member, let order, let inverse) =
                    relationship.storage
                {
                    return End(
                        owner: owner, slot: slot, storage: relationship.storage,
                        ownerColumn: ownerColumn, memberColumn: member, order: order,
                        inverseOrder: inverse)
                }
            }
        }
        return nil
    }

    /// The relationship of the source model that contains the pairs of an end, and its owner. If it
    /// corresponds to the inverse of the end, `isSwapped` is true.
    private func origin(
        _ end: End
    ) -> (slot: SchemaMapping.Slot, owner: Int, isSwapped: Bool)? {
        let map = mapping.entities[end.owner.index]
        if let index = map.source, map.toMany[end.slot] != .none {
            return (map.toMany[end.slot], index, false)
        }
        let relationship = end.owner.toMany[end.slot]
        let other = mapping.entities[relationship.destinationIndex]
        guard case .toMany(let inverse) = relationship.inverse, let index = other.source,
            other.toMany[inverse] != .none
        else { return nil }
        return (other.toMany[inverse], index, true)
    }

    /// Whether the join table can be kept: its relationship has the same storage in both models,
    /// and no entity of its owners or members is removed.
    package func isKept(_ end: End) -> Bool {
        guard let origin = origin(end), !origin.isSwapped, case .toMany(let slot) = origin.slot
        else { return false }
        let old = source[origin.owner].toMany[slot]
        guard old.storage == end.storage else { return false }
        return !losesRows(origin.owner) && !losesRows(old.destinationIndex)
    }

    private func losesRows(_ index: Int) -> Bool {
        renumbering(index).contains { $0.new == nil }
    }

    /// The statement that fills a join table with the pairs of the old model.
    package func fill(_ name: String, _ end: End) -> String? {
        guard let origin = origin(end),
            let pairs = memberships.pairs(origin.slot, of: origin.owner)
        else { return nil }
        let (own, other) = origin.isSwapped ? ("B", "A") : ("A", "B")
        var columns = [end.ownerColumn, end.memberColumn]
        var values = [own, other]
        let knows =
            origin.isSwapped
            ? (order: pairs.hasInverseOrder, inverse: pairs.hasOrder)
            : (order: pairs.hasOrder, inverse: pairs.hasInverseOrder)
        if let order = end.order {
            columns.append(order)
            values.append(
                knows.order ? (origin.isSwapped ? "D" : "C") : Self.newOrder(by: own, other))
        }
        if let order = end.inverseOrder {
            columns.append(order)
            values.append(
                knows.inverse ? (origin.isSwapped ? "C" : "D") : Self.newOrder(by: other, own))
        }
        let filters = rowFilters(origin)
        let insert = dialect.insertUnlessStored
        return "\(insert.verb) INTO \(name)(\(columns.joined(separator: ", "))) SELECT "
            + "\(values.joined(separator: ", ")) FROM (\(pairs.sql)) X"
            + (filters.isEmpty ? "" : " WHERE " + filters.joined(separator: " AND "))
            + insert.clause
    }

    private static func newOrder(by owner: String, _ member: String) -> String {
        "\(OrderValues.first) + \(OrderValues.step) * "
            + "(ROW_NUMBER() OVER (PARTITION BY \(owner) ORDER BY \(member)) - 1)"
    }

    /// Conditions that exclude pairs of removed rows.
    private func rowFilters(
        _ origin: (slot: SchemaMapping.Slot, owner: Int, isSwapped: Bool)
    ) -> [String] {
        let target: Int
        switch origin.slot {
        case .none: return []
        case .value(let slot):
            guard let toOne = source[origin.owner].values[slot].toOne else { return [] }
            target = toOne.destinationIndex
        case .toMany(let slot): target = source[origin.owner].toMany[slot].destinationIndex
        }
        return [("A", origin.owner), ("B", target)].compactMap { column, index in
            let numbers = renumbering(index)
            guard numbers.contains(where: { $0.new == nil }) else { return nil }
            let kept = numbers.filter { $0.new != nil }.map { String($0.old) }
            return "\(column) IN (SELECT \(rowKey) FROM \(source[index].tableName) "
                + "WHERE \(dialect.rows.entity) IN (\(kept.joined(separator: ", "))))"
        }
    }
}
