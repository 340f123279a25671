import CoreDataModel
import CoreDataSQL

/// The names of a store's tables and columns on a server: those of the entities and properties, in
/// contrast to `ZBOOK` and `ZTITLE` in SQLite.
///
/// Each column of Core Data's layout gets one name. So a to-one relationship and its inverse, which
/// share a column, have the same new name for it.
struct ServerNames {
    /// The columns that each table of a root entity has.
    static let rows = RowNames(key: "_key", entity: "_entity", version: "_version")

    /// A column of Core Data's layout.
    private struct Place: Hashable {
        let table: String
        let column: String
    }

    /// The columns that every table of a root entity has, and those of the server.
    private static let systemColumns: Set = [
        "_key", "_entity", "_version", "tableoid", "xmin", "cmin", "xmax", "cmax", "ctid",
    ]

    private let layout: ModelLayout
    private let schema: String
    private var relations = NamesInUse(Set(SystemTables.all))
    private(set) var tables: [String: String] = [:]
    /// The sequences of the keys by the index of the root entity.
    private(set) var sequences: [Int: String] = [:]
    private var columns: [Place: String] = [:]
    private var inUse: [String: NamesInUse] = [:]

    /// - Parameter schema: the schema that contains the tables.
    init(_ layout: ModelLayout, schema: String) {
        self.layout = layout
        self.schema = schema
        for entity in layout.entities where entity.index == entity.rootIndex {
            tables[entity.tableName] = relations.take(entity.name)
            inUse[entity.tableName] = NamesInUse(Self.systemColumns)
        }
        for entity in layout.entities { nameValues(of: entity) }
        for entity in layout.entities { nameMembers(of: entity) }
        for entity in layout.entities where entity.index == entity.rootIndex {
            sequences[entity.index] = relations.take("\(entity.name)_key_seq")
        }
    }

    private mutating func take(_ table: String, _ column: String?, _ candidates: String...) {
        guard let column, columns[Place(table: table, column: column)] == nil else { return }
        let other = candidates.count > 1 ? candidates[1] : candidates[0]
        columns[Place(table: table, column: column)] =
            inUse[table, default: NamesInUse(Self.systemColumns)].take(candidates[0], other)
    }

    private mutating func nameValues(of entity: EntityLayout) {
        let inherited = entity.superIndex.map { layout[$0].values.count } ?? 0
        for slot in entity.values[inherited...] {
            let name = slot.name.replacing(".", with: "_")
            // Two subentities of one root entity may have properties with the same name.
            take(entity.tableName, slot.column, name, "\(entity.name)_\(name)")
            take(
                entity.tableName, slot.toOne?.entityColumn, "\(name)_entity",
                "\(entity.name)_\(name)_entity")
        }
    }

    private mutating func nameMembers(of entity: EntityLayout) {
        let inherited = entity.superIndex.map { layout[$0].toMany.count } ?? 0
        for (index, slot) in entity.toMany.enumerated().dropFirst(inherited) {
            switch slot.storage {
            case .none: break
            case .foreignKey(let column, let entityColumn, let order):
                let table = layout[slot.destinationIndex].tableName
                let name = "\(entity.name)_\(slot.name)"
                take(table, column, name)
                take(table, entityColumn, "\(name)_entity")
                take(table, order, "\(slot.name)_order", "\(name)_order")
            case .joinTable(let table, let owner, let member, let order, let inverseOrder):
                let isReflexive = layout.isReflexive(index, of: entity)
                let inverse = isReflexive ? "of_\(slot.name)" : inverseName(of: slot)
                if tables[table] == nil {
                    tables[table] = relations.take("\(entity.name)_\(slot.name)")
                }
                // A column has the name of the relationship whose members it contains.
                take(table, owner, inverse)
                take(table, member, slot.name)
                take(table, order, "\(slot.name)_order")
                take(table, inverseOrder, "\(inverse)_order")
            }
        }
    }

    private func inverseName(of slot: ToManySlot) -> String {
        guard case .toMany(let inverse) = slot.inverse else { return "owner" }
        return layout[slot.destinationIndex].toMany[inverse].name
    }

    /// The name of a view, an index or a sequence, which no other part of the schema has.
    mutating func takeRelation(_ name: String) -> String { relations.take(name) }

    // MARK: The layout with the names

    /// The layout with the names as SQL. The names of tables contain the schema.
    var renamed: ModelLayout {
        ModelLayout(entities: layout.entities.map(renamed))
    }

    /// A table of the schema in SQL.
    func sql(ofTable table: String) -> String {
        qualified(tables[table] ?? table)
    }

    /// A name of the schema in SQL.
    func qualified(_ name: String) -> String {
        "\(Identifier(schema).sql).\(Identifier(name).sql)"
    }

    private func sql(_ table: String, _ column: String) -> String {
        Identifier(columns[Place(table: table, column: column)] ?? column).sql
    }

    private func renamed(_ entity: EntityLayout) -> EntityLayout {
        EntityLayout(
            name: entity.name, index: entity.index, rootIndex: entity.rootIndex,
            superIndex: entity.superIndex, familyRange: entity.familyRange,
            isAbstract: entity.isAbstract, tableName: sql(ofTable: entity.tableName),
            values: entity.values.map { renamed($0, entity.tableName) },
            toMany: entity.toMany.map { slot in
                slot.withStorage(renamed(slot.storage, layout[slot.destinationIndex].tableName))
            },
            uniquenessConstraints: entity.uniquenessConstraints, indexes: entity.indexes)
    }

    private func renamed(_ slot: ValueSlot, _ table: String) -> ValueSlot {
        slot.withColumns(
            slot.column.map { sql(table, $0) }, slot.toOne?.entityColumn.map { sql(table, $0) })
    }

    private func renamed(_ storage: ToManyStorage, _ destination: String) -> ToManyStorage {
        switch storage {
        case .none: .none
        case .foreignKey(let column, let entityColumn, let order):
            .foreignKey(
                column: sql(destination, column),
                entityColumn: entityColumn.map { sql(destination, $0) },
                orderColumn: order.map { sql(destination, $0) })
        case .joinTable(let table, let owner, let member, let order, let inverseOrder):
            .joinTable(
                table: sql(ofTable: table), ownerColumn: sql(table, owner),
                destinationColumn: sql(table, member), orderColumn: order.map { sql(table, $0) },
                inverseOrderColumn: inverseOrder.map { sql(table, $0) })
        }
    }
}

/// The tables of a store that do not contain rows of entities.
enum SystemTables {
    /// The table with the store's identifier, metadata and model.
    static let store = "_store"
    /// The table with the number of each entity.
    static let entities = "_entities"

    static let all = [store, entities] + HistoryTexts.tables
}
