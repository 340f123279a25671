/// The names of tables and columns for all properties of a model. The layout builder uses them.
///
/// Each root entity has a table, named `Z` and the entity's name in upper case. A to-one
/// relationship has a second column if its destination has subentities. A column for the order of
/// members is named `Z_FOK_…`, and a join table `Z_<ent><REL>`.
struct ColumnNames {
    /// The key column, and the optional entity column, of a to-one relationship or of a to-many
    /// relationship without an inverse.
    struct ForeignKey {
        let column: String
        let entityColumn: String?
    }

    let order: EntityOrder
    /// The table names, by the index of the root entity.
    private(set) var tables: [Int: String] = [:]
    private(set) var attributes: [ObjectIdentifier: String] = [:]
    private(set) var foreignKeys: [ObjectIdentifier: ForeignKey] = [:]
    private(set) var orderColumns: [ObjectIdentifier: String] = [:]
    private(set) var joinTables: [ObjectIdentifier: ToManyStorage] = [:]
    private var columns: [Int: NameRegistry] = [:]

    init(_ order: EntityOrder) {
        self.order = order
        nameTables()
        for entity in order.entities { nameValueColumns(of: entity) }
        for entity in order.entities { nameOneWayColumns(of: entity) }
        for entity in order.entities { nameOrderColumns(of: entity) }
        var joins = JoinTableNames(order)
        for entity in order.entities {
            for relationship in entity.ownRelationships where relationship.isManyToMany {
                joinTables[ObjectIdentifier(relationship)] = joins.storage(of: relationship)
            }
        }
    }

    private mutating func nameTables() {
        // The names of the store's tables are reserved: an entity "_metadata" would otherwise get
        // the table `Z_METADATA`.
        var registry = NameRegistry(reserved: ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"])
        for (index, entity) in order.entities.enumerated() where entity.superentity == nil {
            tables[index] = registry.take("Z" + (entity.name ?? "").uppercased())
            columns[index] = NameRegistry(reserved: ["Z_PK", "Z_ENT", "Z_OPT"])
        }
    }

    private func rootIndex(of entity: NSEntityDescription) -> Int {
        order.index(of: entity.ancestors.last ?? entity) ?? 0
    }

    private mutating func take(_ name: String, in entity: NSEntityDescription) -> String {
        columns[rootIndex(of: entity), default: NameRegistry()].take(name)
    }

    private mutating func nameValueColumns(of entity: NSEntityDescription) {
        for slot in entity.ownValueProperties where !slot.isTransient {
            let stem = slot.name.uppercased()
            // Only the names of elements of composite attributes contain a dot. Searching for a
            // byte is cheaper than replacing in every name.
            let isPath = stem.utf8.contains(UInt8(ascii: "."))
            let column = take("Z" + (isPath ? stem.replacing(".", with: "_") : stem), in: entity)
            if let relationship = slot.property as? NSRelationshipDescription {
                let key = foreignKey(column, to: relationship.destinationEntity, in: entity)
                foreignKeys[ObjectIdentifier(relationship)] = key
            } else {
                attributes[ObjectIdentifier(slot.property)] = column
            }
        }
    }

    /// Names the columns of to-many relationships without an inverse, which are in the
    /// destination's table.
    private mutating func nameOneWayColumns(of entity: NSEntityDescription) {
        for relationship in entity.ownRelationships
        where relationship.isStored && relationship.isToMany
            && relationship.inverseInStore == nil
        {
            guard let destination = relationship.destinationEntity else { continue }
            let name = "Z\(order.number(of: entity))\(relationship.name.uppercased())"
            let column = take(name, in: destination)
            let key = foreignKey(column, to: entity, in: destination)
            foreignKeys[ObjectIdentifier(relationship)] = key
        }
    }

    private mutating func foreignKey(
        _ column: String, to target: NSEntityDescription?, in entity: NSEntityDescription
    ) -> ForeignKey {
        guard let target, !target.subentities.isEmpty else {
            return ForeignKey(column: column, entityColumn: nil)
        }
        let name = "Z\(order.number(of: target))_\(column.dropFirst())"
        return ForeignKey(column: column, entityColumn: take(name, in: entity))
    }

    private mutating func nameOrderColumns(of entity: NSEntityDescription) {
        for relationship in entity.ownRelationships
        where relationship.isStored && relationship.isToMany && relationship.isOrdered
            && !relationship.isManyToMany
        {
            let holder = relationship.inverseInStore ?? relationship
            guard
                let destination = relationship.inverseInStore?.owner
                    ?? relationship.destinationEntity,
                let key = foreignKeys[ObjectIdentifier(holder)]
            else { continue }
            orderColumns[ObjectIdentifier(relationship)] = take(
                "Z_FOK_\(key.column.dropFirst())", in: destination)
        }
    }

    func storage(of relationship: NSRelationshipDescription) -> ToManyStorage {
        guard relationship.isStored else { return .none }
        if let storage = joinTables[ObjectIdentifier(relationship)] { return storage }
        let holder = relationship.inverseInStore ?? relationship
        guard let key = foreignKeys[ObjectIdentifier(holder)] else { return .none }
        return .foreignKey(
            column: key.column, entityColumn: key.entityColumn,
            orderColumn: orderColumns[ObjectIdentifier(relationship)])
    }
}

extension NSEntityDescription {
    /// The attributes and to-one relationships that this entity declares, in ASCII order of names.
    /// Each composite attribute is replaced by its elements.
    var ownValueProperties: [SlotProperty] {
        ownProperties.filter { property in
            if let relationship = property as? NSRelationshipDescription {
                return !relationship.isToMany
            }
            return property is NSAttributeDescription
        }.flatMap(SlotProperty.slots).sorted { $0.name.precedesInASCII($1.name) }
    }

    var ownRelationships: [NSRelationshipDescription] {
        ownProperties.compactMap { $0 as? NSRelationshipDescription }
            .sorted { $0.name.precedesInASCII($1.name) }
    }
}

extension NSRelationshipDescription {
    var isStored: Bool { !isTransient }

    var inverseInStore: NSRelationshipDescription? {
        inverseRelationship.flatMap { $0.isTransient ? nil : $0 }
    }

    var isManyToMany: Bool { isStored && isToMany && inverseInStore?.isToMany == true }

    /// Whether objects maintain the inverse of the relationship.
    ///
    /// False if one end is transient and the stored end is to-many. A stored to-many relationship
    /// uses the column of its inverse, so with a transient inverse it is stored like one without an
    /// inverse.
    var isKeptInStep: Bool {
        guard let inverse = inverseRelationship, inverse.isTransient != isTransient else {
            return true
        }
        return isTransient ? !inverse.isToMany : !isToMany
    }
}
