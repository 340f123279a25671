import CoreDataModel
import CoreDataSQL

/// The column of a derived attribute, and the SQL expression that computes it.
///
/// The expression is used by triggers, after a migration, and if the program has set the attribute
/// itself.
struct DerivedColumn {
    let layout: ModelLayout
    let entity: EntityLayout
    let slot: Int
    let derivation: Derivation
    let column: String

    /// All derived columns of a model. An inherited column is listed only for the entity that
    /// declares it.
    static func all(of layout: ModelLayout) -> [DerivedColumn] {
        layout.entities.flatMap { entity in
            let inherited = entity.superIndex.map { layout[$0].values.count } ?? 0
            return entity.values.indices.dropFirst(inherited)
                .compactMap { DerivedColumn(layout, entity, $0) }
        }
    }

    /// Describes the column of a slot; nil if the slot is not derived.
    init?(_ layout: ModelLayout, _ entity: EntityLayout, _ slot: Int) {
        guard let derivation = entity.values[slot].derivation,
            let column = entity.values[slot].column
        else { return nil }
        self.layout = layout
        self.entity = entity
        self.slot = slot
        self.derivation = derivation
        self.column = column
    }

    var table: String { entity.tableName }

    /// Whether the table contains rows of entities without the attribute.
    var isShared: Bool { entity.familyRange != layout[entity.rootIndex].familyRange }

    /// The condition for rows with the attribute; nil for all.
    func ownership(of row: String, _ numbers: EntityNumbers) -> String? {
        guard isShared else { return nil }
        let list = entity.familyRange.map { String(numbers.number(of: $0)) }
        return "\(row)Z_ENT IN (\(list.joined(separator: ", ")))"
    }

    // MARK: Values

    /// The SQL expression for the value of a row. The parameter is the row's name in SQL: the
    /// table's name, or `NEW`.
    func value(of row: String) -> String {
        switch derivation {
        case .now: return "NSCoreDataNow()"
        case .value(let hops, let slot, let form):
            guard let first = hops.first else {
                return written(entity.values[slot], in: "\(row).", form)
            }
            let way = way(hops)
            let end = way[way.count - 1].destination
            let joins = way.dropFirst().enumerated().map { index, hop in
                " JOIN \(hop.destination.tableName) AS d\(index + 2)"
                    + " ON d\(index + 2).Z_PK = d\(index + 1).\(hop.column)"
            }
            return "(SELECT \(written(end.values[slot], in: "d\(way.count).", form))"
                + " FROM \(way[0].destination.tableName) AS d1\(joins.joined())"
                + " WHERE d1.Z_PK = \(row).\(entity.values[first].column ?? ""))"
        case .count(let members):
            switch entity.toMany[members].storage {
            case .foreignKey(let key, _, _):
                let destination = layout[entity.toMany[members].destinationIndex].tableName
                // The counted table may also contain the row itself, so its columns need an alias.
                // Columns of `NEW` are never ambiguous.
                let (alias, member) = row == "NEW" ? ("", "") : (" AS d", "d.")
                return "(SELECT IFNULL(COUNT(\(member)\(key)), 0) FROM \(destination)\(alias)"
                    + " WHERE \(member)\(key) = \(row).Z_PK)"
            case .joinTable(let table, let owner, _, _, _):
                return "(SELECT COUNT(*) FROM \(table) WHERE \(owner) = \(row).Z_PK)"
            case .none: return "0"
            }
        case .aggregate(let aggregate, let members, let slot):
            return "(SELECT \(self.aggregate(aggregate, members, slot)) \(source(members, row)))"
        }
    }

    private func aggregate(
        _ aggregate: Derivation.Aggregate, _ members: Int, _ slot: Int
    ) -> String {
        let value = "d.\(layout[entity.toMany[members].destinationIndex].values[slot].column ?? "")"
        return switch aggregate {
        case .sum: "IFNULL(SUM(\(value)), 0)"
        case .average: "AVG(\(value))"
        case .minimum: "MIN(\(value))"
        case .maximum: "MAX(\(value))"
        }
    }

    private func source(_ members: Int, _ row: String) -> String {
        let relationship = entity.toMany[members]
        let table = layout[relationship.destinationIndex].tableName
        switch relationship.storage {
        case .foreignKey(let key, _, _): return "FROM \(table) AS d WHERE d.\(key) = \(row).Z_PK"
        case .joinTable(let pairs, let owner, let destination, _, _):
            return "FROM \(pairs) AS p JOIN \(table) AS d ON d.Z_PK = p.\(destination)"
                + " WHERE p.\(owner) = \(row).Z_PK"
        case .none: return "FROM \(table) AS d WHERE 0"
        }
    }

    private func written(
        _ source: ValueSlot, in row: String, _ form: Derivation.TextForm?
    ) -> String {
        let value = source.readExpression(of: row + (source.column ?? ""))
        let formed =
            switch form {
            case .canonical?: "NSCoreDataCanonical(\(value))"
            case .uppercase?: "NSCoreDataUppercase(\(value))"
            case .lowercase?: "NSCoreDataLowercase(\(value))"
            case nil: value
            }
        return entity.values[slot].writeExpression(of: formed)
    }

    // MARK: To-one relationships in the path

    struct Hop {
        /// The foreign key column of the relationship, in the table of the relationship's owner.
        let column: String
        let destination: EntityLayout
    }

    /// The relationships on the path to the value, in the order of the path.
    func way(_ hops: [Int]) -> [Hop] {
        var owner = entity
        return hops.compactMap { slot in
            guard let toOne = owner.values[slot].toOne, let column = owner.values[slot].column
            else { return nil }
            owner = layout[toOne.destinationIndex]
            return Hop(column: column, destination: owner)
        }
    }

    /// The statement that recomputes the derived value of the rows that satisfy the condition.
    func update(where condition: String, _ numbers: EntityNumbers) -> String {
        let owned = ownership(of: "", numbers).map { " AND \($0)" } ?? ""
        return "UPDATE \(table) SET \(column) = \(value(of: table)) WHERE \(condition)\(owned)"
    }
}
