import LabScenario

/// A simple form of a draft's model for the generators. An entity has the properties that it
/// inherits.
struct ModelView {
    struct Attribute {
        let name: String
        let type: AttributeType
        let isRequired: Bool
        let isTransient: Bool
        let defaultValue: Literal?
    }

    struct Relationship {
        let name: String
        let arity: RelationshipShape.Arity
        let destination: String
        let inverse: String?
        let rule: RelationshipShape.DeleteRule
        let isRequired: Bool
    }

    struct Entity {
        let name: String
        let parent: String?
        let root: String
        let isAbstract: Bool
        let attributes: [Attribute]
        let relationships: [Relationship]
        let hasHook: Bool
    }

    private(set) var entities: [Entity] = []
    let hasConstraints: Bool

    init(_ shape: ModelShape) {
        hasConstraints = shape.entities.contains { !$0.unique.isEmpty }
        for entity in shape.entities { entities.append(Self.entity(entity, in: shape)) }
    }

    func entity(_ name: String) -> Entity? { entities.first { $0.name == name } }

    /// Whether an entity is the other entity or one of its subentities.
    func isKind(_ name: String, of other: String) -> Bool {
        var next: String? = name
        while let name = next {
            if name == other { return true }
            next = entity(name)?.parent
        }
        return false
    }

    private static func entity(_ shape: EntityShape, in model: ModelShape) -> Entity {
        var attributes: [Attribute] = []
        var relationships: [Relationship] = []
        var root = shape.name.value
        var next: EntityShape? = shape
        while let entity = next {
            root = entity.name.value
            for property in entity.properties {
                switch property.kind {
                case .attribute(let type, let standard):
                    attributes.append(
                        Attribute(
                            name: property.name.value, type: type,
                            isRequired: property.isRequired, isTransient: property.isTransient,
                            defaultValue: standard?.value))
                case .relationship(let relationship):
                    relationships.append(
                        Relationship(
                            name: property.name.value, arity: relationship.arity,
                            destination: relationship.destination.value,
                            inverse: relationship.inverse?.value, rule: relationship.deleteRule,
                            isRequired: property.isRequired))
                }
            }
            next = entity.parent.flatMap { model.entity(named: $0.value) }
        }
        return Entity(
            name: shape.name.value, parent: shape.parent?.value, root: root,
            isAbstract: shape.isAbstract, attributes: attributes, relationships: relationships,
            hasHook: shape.onDelete != nil)
    }
}
