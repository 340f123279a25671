/// Finds entities and properties by their names in a recorded model.
struct ModelNames {
    private let entities: [String: RecordedEntity]

    init(_ entities: [RecordedEntity]) {
        self.entities = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
    }

    func entity(_ name: String) -> RecordedEntity? { entities[name] }

    func line(of name: String) -> [RecordedEntity] {
        var found: [RecordedEntity] = []
        var next = entities[name]
        while let entity = next, found.count <= entities.count {
            found.append(entity)
            next = entity.parent.flatMap { entities[$0] }
        }
        return found
    }

    func attribute(_ key: String, of name: String) -> RecordedAttribute? {
        line(of: name).lazy.compactMap { $0.attributes.first { $0.name == key } }.first
    }

    func relationship(_ key: String, of name: String) -> RecordedRelationship? {
        line(of: name).lazy.compactMap { $0.relationships.first { $0.name == key } }.first
    }

    /// The property at the end of a path, with its entity.
    func end(of path: String, from name: String) -> (entity: String, key: String)? {
        var entity = name
        var keys = path.split(separator: ".").map(String.init)
        guard let last = keys.popLast() else { return nil }
        for key in keys {
            guard let relationship = relationship(key, of: entity) else { return nil }
            entity = relationship.destination
        }
        return (entity, last)
    }

    /// The attribute together with the entity that declares it. The result is equal for all
    /// entities that inherit the attribute.
    func place(of key: String, in name: String) -> AttributePlace {
        let owner = line(of: name).first { $0.attributes.contains { $0.name == key } }
        return AttributePlace(entity: owner?.name ?? name, key: key)
    }
}

/// An attribute, identified by its name and by the entity that declares it.
struct AttributePlace: Hashable {
    let entity: String
    let key: String
}
