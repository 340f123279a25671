import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL

/// The statements that create the tables, indexes, sequences and views of a store.
///
/// Only the columns that the engine itself fills are NOT NULL, because an object may be saved
/// before an attribute has a value.
struct SchemaTexts {
    let layout: ModelLayout
    let numbers: EntityNumbers
    let schema: String
    /// The entities that the store keeps; nil for all.
    let entityIndexes: Set<Int>?
    /// The layout with the names of the server.
    let renamed: ModelLayout
    private let names: ServerNames

    init(
        _ layout: ModelLayout, numbers: EntityNumbers, schema: String, entityIndexes: Set<Int>?
    ) {
        self.layout = layout
        self.numbers = numbers
        self.schema = schema
        self.entityIndexes = entityIndexes
        names = ServerNames(layout, schema: schema)
        renamed = names.renamed
    }

    func keeps(_ index: Int) -> Bool { entityIndexes?.contains(index) ?? true }

    /// The roots of the entities that the store keeps.
    var roots: [EntityLayout] {
        renamed.entities.filter {
            $0.index == $0.rootIndex && $0.familyRange.contains(where: keeps)
        }
    }

    /// All statements except those for the system tables.
    func statements() -> [String] {
        let tables = roots.map(table) + joinTables().map(\.table)
        let sequences = roots.flatMap { [newSequence(of: $0), sequenceOwner(of: $0)] }
        let (indexes, views) = parts()
        return tables + sequences + indexes.map(\.creation) + foreignKeys().map(\.creation)
            + views.map(\.creation)
    }

    /// The indexes, with the unique constraints, and the views.
    func parts() -> (indexes: [SchemaPart], views: [SchemaPart]) {
        var names = names
        let indexes = IndexTexts(self).parts { names.takeRelation($0) }
        let views = renamed.entities.filter { keeps($0.index) }.map { entity in
            EntityView(entity, self).part(named: names.takeRelation("\(entity.name)_view"))
        }
        return (indexes, views)
    }

    /// The statements that create the system tables.
    static func systemTables(_ schema: String) -> [String] {
        let prefix = Identifier(schema).sql
        return [
            "CREATE TABLE \(prefix).\(SystemTables.store) (format integer NOT NULL,"
                + " identifier text NOT NULL, metadata text NOT NULL, model bytea,"
                + " tables text[] NOT NULL)",
            "CREATE TABLE \(prefix).\(SystemTables.entities) (number integer PRIMARY KEY,"
                + " name text NOT NULL UNIQUE, super integer)",
        ]
    }

    /// A key has 48 bits, including the sign.
    private static let keysMax: Int64 = 1 << 46 - 1

    /// The tables of the store as SQL, without the schema.
    var tableNames: [String] {
        let prefix = "\(Identifier(schema).sql).".count
        return [SystemTables.store, SystemTables.entities]
            + (roots.map(\.tableName) + joinTables().map(\.name)).map {
                String($0.dropFirst(prefix))
            }
    }

    func newSequence(of root: EntityLayout) -> String {
        "CREATE SEQUENCE \(sequence(of: root)) MINVALUE 0 START 0"
            + " MAXVALUE \(Self.keysMax)"
    }

    /// The statement that makes the sequence belong to the table, so that both are dropped
    /// together.
    func sequenceOwner(of root: EntityLayout) -> String {
        "ALTER SEQUENCE \(sequence(of: root))"
            + " OWNED BY \(root.tableName).\(ServerNames.rows.key)"
    }

    /// The sequence of a root entity's keys.
    func sequence(of root: EntityLayout) -> String {
        names.qualified(names.sequences[root.rootIndex] ?? "")
    }
}

// MARK: Entity tables

extension SchemaTexts {
    /// The definitions of the columns that every table of a root entity has.
    static let systemColumns = [
        "\(ServerNames.rows.key) bigint NOT NULL", "\(ServerNames.rows.entity) integer NOT NULL",
        "\(ServerNames.rows.version) integer NOT NULL",
    ]

    func table(_ root: EntityLayout) -> String {
        let columns = Self.systemColumns + self.columns(of: root).map { "\($0.name) \($0.type)" }
        return "CREATE TABLE \(root.tableName) (\(columns.joined(separator: ", ")),"
            + " PRIMARY KEY (\(ServerNames.rows.key)))"
    }

    /// The columns of a root entity's table in their order, without those that every table has.
    func columns(of root: EntityLayout) -> [(name: String, type: String)] {
        var columns: [(name: String, type: String)] = []
        var seen: Set<String> = []
        func add(_ name: String?, _ type: String) {
            guard let name, seen.insert(name).inserted else { return }
            columns.append((name, type))
        }
        for entity in renamed.entities where entity.rootIndex == root.index {
            for slot in entity.values {
                add(slot.column, Self.type(of: slot.kind))
                add(slot.toOne?.entityColumn, "integer")
            }
        }
        for slot in renamed.entities.flatMap(\.toMany)
        where renamed[slot.destinationIndex].rootIndex == root.index {
            guard case .foreignKey(let column, let entityColumn, let order) = slot.storage else {
                continue
            }
            add(column, "bigint")
            add(entityColumn, "integer")
            add(order, "bigint")
        }
        return columns
    }

    private static func type(of kind: CoreDataModel.ValueKind) -> String {
        let type = kind.serverType
        return type == .text ? "text COLLATE \"C\"" : type.name
    }

    /// The foreign keys of to-one relationships.
    ///
    /// A relationship has a foreign key only if its inverse has a delete rule other than "no
    /// action". Otherwise rows may refer to deleted rows. The server checks the key at the commit,
    /// because a save deletes rows first.
    private func toOneKeys() -> [ForeignKey] {
        var seen: Set<String> = []
        return renamed.entities.flatMap { entity in
            entity.values.compactMap { slot -> ForeignKey? in
                guard let column = slot.column, let toOne = slot.toOne,
                    isCleared(by: toOne.inverse, of: toOne.destinationIndex),
                    keepsFamily(of: toOne.destinationIndex), keepsFamily(of: entity.index),
                    seen.insert("\(entity.tableName).\(column)").inserted
                else { return nil }
                return ForeignKey(
                    table: entity.tableName, column: column,
                    destination: renamed[toOne.destinationIndex].tableName,
                    rule: "DEFERRABLE INITIALLY DEFERRED", isCleared: true)
            }
        }
    }

    func foreignKeys() -> [ForeignKey] { toOneKeys() + joinTables().flatMap(\.foreignKeys) }

    private func keepsFamily(of index: Int) -> Bool {
        layout[layout[index].rootIndex].familyRange.contains(where: keeps)
    }

    /// Whether the deletion of a row clears the references to the row.
    private func isCleared(by inverse: InverseSlot, of destination: Int) -> Bool {
        switch inverse {
        case .none: false
        case .value(let slot):
            layout[destination].values[slot].toOne.map { $0.deleteBehavior != .noAction } ?? false
        case .toMany(let slot): layout[destination].toMany[slot].deleteBehavior != .noAction
        }
    }
}

// MARK: Join tables

extension SchemaTexts {
    /// A join table, described from one end of its relationship.
    struct JoinTable {
        let name: String
        let owner: String
        let member: String
        let orders: [String]
        let ownerTable: String
        let memberTable: String

        var table: String { table(named: name) }

        func table(named name: String) -> String {
            let columns =
                [owner, member].map { "\($0) bigint NOT NULL" } + orders.map { "\($0) bigint" }
            return "CREATE TABLE \(name) (\(columns.joined(separator: ", ")),"
                + " PRIMARY KEY (\(owner), \(member)))"
        }

        /// A deleted row also leaves the relationships that the saving context does not know.
        var foreignKeys: [ForeignKey] {
            [(owner, ownerTable), (member, memberTable)].map {
                ForeignKey(
                    table: name, column: $0, destination: $1, rule: "ON DELETE CASCADE",
                    isCleared: false)
            }
        }
    }

    func joinTables() -> [JoinTable] {
        var seen: Set<String> = []
        return renamed.entities.flatMap { entity in
            entity.toMany.compactMap { slot -> JoinTable? in
                guard keepsFamily(of: entity.index), keepsFamily(of: slot.destinationIndex),
                    case .joinTable(let table, let owner, let member, let order, let inverse) =
                        slot.storage, seen.insert(table).inserted
                else { return nil }
                return JoinTable(
                    name: table, owner: owner, member: member,
                    orders: Array(Set([order, inverse].compactMap(\.self))).sorted(),
                    ownerTable: entity.tableName,
                    memberTable: renamed[slot.destinationIndex].tableName)
            }
        }
    }
}
