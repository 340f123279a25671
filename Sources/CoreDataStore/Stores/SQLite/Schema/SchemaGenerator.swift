import CoreDataModel
import CoreDataSQL

/// Creates the statements that turn an empty database into a store of a model.
///
/// Tables and columns have the names, types and order that Core Data uses.
struct SchemaGenerator {
    package let layout: ModelLayout
    /// The entities that the store keeps; nil for all.
    package var entityIndexes: Set<Int>?

    /// Whether the store keeps the entity. Names and numbers are always those of the whole model.
    private func keeps(_ index: Int) -> Bool { entityIndexes?.contains(index) ?? true }

    /// The root entities whose tables the store contains.
    private var roots: [EntityLayout] {
        layout.entities.filter {
            $0.index == $0.rootIndex && $0.familyRange.contains(where: keeps)
        }
    }

    func tables() -> [(name: String, statement: String)] {
        roots.map { ($0.tableName, tableStatement($0)) }
            + joinTables().map { ($0.name, $0.tableStatement) }
    }

    /// All statements, in the order of Core Data's own stores.
    package func statements() -> [String] {
        let tables = tables().map(\.statement)
        var indexes = roots.flatMap(relationshipIndexes)
        for joinTable in joinTables() { indexes.append(joinTable.indexStatement) }
        indexes += layout.entities.filter { keeps($0.index) }.flatMap(modelIndexes)
        var seen: Set<String> = []
        // Subentities list inherited indexes again, which are skipped.
        return tables + indexes.filter { seen.insert($0).inserted } + Self.systemTables
            + DerivedTriggers(layout: layout, numbers: EntityNumbers(inOrderOf: layout))
            .statements(keeping: keeps)
            + SpatialIndexes(layout: layout).statements(keeping: keeps)
    }

    static let systemTables = [
        "CREATE TABLE Z_PRIMARYKEY "
            + "(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA "
            + "(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]
}

// MARK: Entity tables

extension SchemaGenerator {
    private func tableStatement(_ root: EntityLayout) -> String {
        "CREATE TABLE \(root.tableName) ( \(columns(of: root).joined(separator: ", ")) )"
    }

    package func columns(of root: EntityLayout) -> [String] {
        let columns =
            root.familyRange.flatMap { integerColumns(layout[$0]) }
            + ColumnGroup.allCases.flatMap { group in
                root.familyRange.flatMap { laterColumns(layout[$0], group: group) }
            }
        return ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"] + columns
    }

    /// The slots that an entity adds to those of its superentity.
    private func ownSlots(_ entity: EntityLayout) -> ArraySlice<ValueSlot> {
        let inherited = entity.superIndex.map { layout[$0].values.count } ?? 0
        return entity.values[inherited...]
    }

    /// The order of the columns: integers first, then to-one relationships, hidden foreign keys,
    /// and order columns.
    private func integerColumns(_ entity: EntityLayout) -> [String] {
        let own = ownSlots(entity)
        let plain = own.filter { ColumnGroup.isInteger($0.kind) }.compactMap(\.column)
        let toOne = own.compactMap { slot in
            slot.toOne.map { [slot.column, $0.entityColumn].compactMap { $0 } }
        }.joined()
        let arriving = foreignKeys(into: entity)
        let hidden = arriving.filter(\.isHidden).flatMap {
            [$0.column, $0.entityColumn, $0.orderColumn].compactMap { $0 }
        }
        let orders = arriving.filter { !$0.isHidden }.compactMap(\.orderColumn).sorted()
        return (plain + toOne + hidden + orders).map { "\($0) INTEGER" }
    }

    private func laterColumns(_ entity: EntityLayout, group: ColumnGroup) -> [String] {
        ownSlots(entity).filter { group.contains($0.kind) }.compactMap { slot in
            slot.column.map { "\($0) \(ColumnGroup.type(of: slot.kind))" }
        }
    }

    /// The columns in this entity's table that store a one-to-many relationship of another entity.
    private struct ForeignKey {
        let column: String
        let entityColumn: String?
        let orderColumn: String?
        let isHidden: Bool
    }

    private func foreignKeys(into entity: EntityLayout) -> [ForeignKey] {
        layout.entities.flatMap { owner in
            let inherited = owner.superIndex.map { layout[$0].toMany.count } ?? 0
            return owner.toMany[inherited...].compactMap { slot -> ForeignKey? in
                guard slot.destinationIndex == entity.index,
                    case .foreignKey(let column, let entityColumn, let orderColumn) = slot.storage
                else { return nil }
                return ForeignKey(
                    column: column, entityColumn: entityColumn, orderColumn: orderColumn,
                    isHidden: slot.inverse == .none)
            }
        }
    }
}

/// The groups of columns that are not integers, in the order that Core Data uses.
private enum ColumnGroup: CaseIterable {
    case floats, decimals, strings, uris, uuids, binaries

    func contains(_ kind: ValueKind) -> Bool {
        switch self {
        case .floats: kind == .double || kind == .float || kind == .date
        case .decimals: kind == .decimal
        case .strings: kind == .string
        case .uris: kind == .uri
        case .uuids: kind == .uuid
        case .binaries: kind == .binary
        }
    }

    static func isInteger(_ kind: ValueKind) -> Bool {
        switch kind {
        case .integer16, .integer32, .integer64, .boolean: true
        default: false
        }
    }

    static func type(of kind: ValueKind) -> String {
        switch kind {
        case .integer16, .integer32, .integer64, .boolean, .toOne: "INTEGER"
        case .double, .float: "FLOAT"
        case .date: "TIMESTAMP"
        case .decimal: "DECIMAL"
        case .string, .uri: "VARCHAR"
        case .uuid, .binary: "BLOB"
        }
    }
}

// MARK: Join tables

extension SchemaGenerator {
    /// A join table, described from the end whose column comes first.
    struct JoinTable {
        package let name: String
        package let first: String
        package let second: String
        package let orders: [String]

        var tableStatement: String { statement(named: name) }

        package func statement(named name: String) -> String {
            let columns = ([first, second] + orders).map { "\($0) INTEGER" }
            return "CREATE TABLE \(name) "
                + "( \(columns.joined(separator: ", ")), PRIMARY KEY (\(first), \(second)) )"
        }

        var indexStatement: String {
            "CREATE INDEX \(name)_\(second)_INDEX ON \(name) (\(second), \(first))"
        }
    }

    func joinTables() -> [JoinTable] {
        var tables: [JoinTable] = []
        for entity in layout.entities where keeps(entity.index) {
            for slot in entity.toMany {
                guard
                    case .joinTable(let table, let owner, let destination, let order, let inverse) =
                        slot.storage
                else { continue }
                let made = JoinTable(
                    name: table, first: owner, second: destination,
                    orders: [order, inverse].compactMap { $0 })
                // The table's name may contain the number of this end's entity. The column of this
                // end's owners then comes first.
                let namesTable = table == "Z_\(entity.index + 1)\(slot.name.uppercased())"
                if let known = tables.firstIndex(where: { $0.name == table }) {
                    if namesTable { tables[known] = made }
                } else {
                    tables.append(made)
                }
            }
        }
        return tables
    }
}

// MARK: Indexes

extension SchemaGenerator {
    private func relationshipIndexes(_ root: EntityLayout) -> [String] {
        let table = root.tableName
        var result = root.familyRange.flatMap { index -> [String] in
            let entity = layout[index]
            let toOne = ownSlots(entity).filter { $0.toOne != nil }.compactMap(\.column)
            let hidden = foreignKeys(into: entity).filter(\.isHidden).map(\.column)
            return (toOne + hidden).map { "CREATE INDEX \(table)_\($0)_INDEX ON \(table) (\($0))" }
        }
        if root.hasSubentities {
            result.append("CREATE INDEX \(table)_Z_ENT_INDEX ON \(table) (Z_ENT)")
        }
        return result
    }

    /// Quotes the name of an index if necessary, because models may use any name.
    private static func name(_ index: String) -> String {
        let isPlain = index.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        return isPlain ? index : "\"\(index.replacing("\"", with: "\"\""))\""
    }

    private func modelIndexes(_ entity: EntityLayout) -> [String] {
        let table = entity.tableName
        let plain = entity.indexes.filter { !$0.isSpatial }.compactMap { index -> String? in
            let columns = index.elements.compactMap { element in
                IndexSubject(entity).text(of: element.subject).map {
                    "\($0) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")"
                }
            }
            if columns.isEmpty { return nil }
            let condition = index.condition.flatMap { IndexCondition(entity).text(of: $0) }
            let name = Self.name(index.name)
            return "CREATE INDEX \(name) ON \(table) (\(columns.joined(separator: ", ")))"
                + (condition.map { " WHERE \($0)" } ?? "")
        }
        let unique = entity.uniquenessConstraints.map { constraint in
            let columns = constraint.slots.compactMap { entity.values[$0].column }
                .map { "\($0) COLLATE BINARY ASC" }
            return "CREATE UNIQUE INDEX \(constraint.indexName) ON \(table) "
                + "(\(columns.joined(separator: ", ")))"
        }
        return plain + unique
    }
}
