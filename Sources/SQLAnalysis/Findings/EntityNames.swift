import CoreDataModel

/// Maps tables and columns to the names of entities and relationships.
struct EntityNames: Sendable {
    private let layout: ModelLayout?
    private var entityOfTable: [String: String] = [:]
    private var tableOfEntity: [String: String] = [:]

    /// Whether relationships are known from a model. If not, they are guessed.
    var knowsModel: Bool { layout != nil }

    init(layout: ModelLayout?) {
        self.layout = layout
        for entity in layout?.entities ?? [] {
            tableOfEntity[entity.name] = entity.tableName
            if entity.superIndex == nil { entityOfTable[entity.tableName] = entity.name }
        }
    }

    /// Learns the entity of a table from the annotations of a statement.
    mutating func learn(_ statement: LogStatement, _ shape: StatementShape) {
        guard let table = shape.table, layout == nil else { return }
        switch statement.role {
        case .fault(let object): learn(object.entity, table)
        case .fetch:
            if let entity = statement.entity { learn(entity, table) }
        case .toManyFault(let object, _):
            let own = "Z" + object.entity.uppercased()
            if entityOfTable[own] == nil { entityOfTable[own] = object.entity }
        default: break
        }
    }

    /// Learns the table of an entity. If several entities share a table, the table gets the name of
    /// one of them. This is the entity whose name matches the table's name, otherwise the first one
    /// in the log.
    private mutating func learn(_ entity: String, _ table: String) {
        guard tableOfEntity[entity] != table || entityOfTable[table] == nil else { return }
        tableOfEntity[entity] = table
        if "Z" + entity.uppercased() == table || entityOfTable[table] == nil {
            entityOfTable[table] = entity
        }
    }

    func table(of entity: String) -> String {
        tableOfEntity[entity] ?? "Z" + entity.uppercased()
    }

    /// The entity, or the table if its entity is unknown.
    func shown(table: String?) -> String {
        guard let table else { return "" }
        return entityOfTable[table] ?? table
    }

    /// Whether one object can belong to both entities, because they share a table.
    func isSameFamily(_ one: String, _ other: String) -> Bool {
        one == other || table(of: one) == table(of: other) || one == table(of: other)
            || other == table(of: one)
    }

    // MARK: Relationships

    /// The destination of a relationship; nil without a model.
    func destination(of relationship: String, from entity: String) -> String? {
        guard let layout, let owner = layout.entity(named: entity) else { return nil }
        if let slot = owner.toManySlot(named: relationship) {
            return layout[owner.toMany[slot].destinationIndex].name
        }
        return owner.valueSlot(named: relationship)
            .flatMap { owner.values[$0].toOne }.map { layout[$0.destinationIndex].name }
    }

    /// The first to-one relationship from one entity to another.
    ///
    /// - Parameter columns: the columns that the fetch read. Without a model, relationships are
    ///   guessed from them.
    func toOne(from entity: String, to destination: String, columns: [String]) -> String? {
        guard let layout else {
            let wanted = "Z" + destination.uppercased()
            return columns.contains(wanted) ? Self.lowerFirst(destination) : nil
        }
        return layout.entity(named: entity)?.values.first { slot in
            slot.toOne.map {
                isSameFamily(layout[$0.destinationIndex].name, destination)
            } ?? false
        }?.name
    }

    /// The first to-many relationship from one entity to another; nil without a model.
    func toMany(from entity: String, to destination: String) -> String? {
        guard let layout else { return nil }
        return layout.entity(named: entity)?.toMany.first {
            isSameFamily(layout[$0.destinationIndex].name, destination)
        }?.name
    }

    /// Whether the relationship can lead to the destination. Without a model, the names decide.
    func mayLead(_ relationship: String, from entity: String, to destination: String) -> Bool {
        if let known = self.destination(of: relationship, from: entity) {
            return isSameFamily(known, destination)
        }
        let name = relationship.lowercased()
        let wanted = destination.lowercased()
        let stem = wanted.hasSuffix("y") ? String(wanted.dropLast()) : wanted
        return name.hasPrefix(stem) || name.hasSuffix(stem + "s")
    }

    /// The relationship that a column stores, and its inverse.
    func relationship(table: String?, column: String) -> (name: String, inverse: String?)? {
        guard let layout, let table else { return nil }
        for entity in layout.entities where entity.tableName == table {
            for slot in entity.values where slot.column == column {
                guard let toOne = slot.toOne else { continue }
                let destination = layout[toOne.destinationIndex]
                return switch toOne.inverse {
                case .none: (slot.name, nil)
                case .value(let inverse): (slot.name, destination.values[inverse].name)
                case .toMany(let inverse): (slot.name, destination.toMany[inverse].name)
                }
            }
        }
        return nil
    }

    func attribute(table: String?, column: String) -> String? {
        layout?.attribute(table: table, column: column)
    }

    private static func lowerFirst(_ name: String) -> String {
        name.prefix(1).lowercased() + name.dropFirst()
    }
}
