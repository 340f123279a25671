import Foundation

extension NSEntityDescription {
    /// The properties of all superentities, the root's first.
    package var inheritedProperties: [NSPropertyDescription] {
        ancestors.reversed().flatMap(\.ownProperties)
    }

    /// The superentities, the nearest first. If the inheritance has a cycle, the list ends before
    /// an entity would occur twice.
    package var ancestors: [NSEntityDescription] {
        var found: [NSEntityDescription] = []
        var next = superentity
        while let entity = next, entity !== self, !found.contains(where: { $0 === entity }) {
            found.append(entity)
            next = entity.superentity
        }
        return found
    }

    /// All properties by name, inherited ones included.
    public var propertiesByName: [String: NSPropertyDescription] {
        frozenParts?.propertiesByName ?? Self.byName(properties)
    }

    /// All attributes by name, inherited ones included.
    public var attributesByName: [String: NSAttributeDescription] {
        frozenParts?.attributesByName
            ?? Self.byName(properties.compactMap { $0 as? NSAttributeDescription })
    }

    /// All relationships by name, inherited ones included.
    public var relationshipsByName: [String: NSRelationshipDescription] {
        frozenParts?.relationshipsByName
            ?? Self.byName(properties.compactMap { $0 as? NSRelationshipDescription })
    }

    /// The direct subentities by name.
    public var subentitiesByName: [String: NSEntityDescription] {
        Dictionary(
            subentities.compactMap { entity in entity.name.map { ($0, entity) } },
            uniquingKeysWith: { first, _ in first })
    }

    static func byName<Property: NSPropertyDescription>(
        _ properties: [Property]
    ) -> [String: Property] {
        Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
    }

    /// Whether this entity equals the other entity or descends from it.
    public func isKindOf(entity: NSEntityDescription) -> Bool {
        self === entity || ancestors.contains { $0 === entity }
    }

    /// The relationships, inherited ones included, whose destination is the entity.
    public func relationships(
        forDestination entity: NSEntityDescription
    ) -> [NSRelationshipDescription] {
        properties.compactMap { $0 as? NSRelationshipDescription }
            .filter { $0.destinationEntity === entity }
    }
}

/// Iterating an entity yields its properties.
extension NSEntityDescription: Sequence {
    /// Iterates over the entity's properties, inherited ones included.
    public func makeIterator() -> IndexingIterator<[NSPropertyDescription]> {
        properties.makeIterator()
    }
}
