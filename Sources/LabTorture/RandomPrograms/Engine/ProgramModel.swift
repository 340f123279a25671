import CoreData

/// Creates the managed object model of a schema.
enum ProgramModel {
    static let number = "number"

    static func make(_ schema: ProgramSchema) -> NSManagedObjectModel {
        var entities: [ProgramKind: NSEntityDescription] = [:]
        for kind in ProgramKind.allCases {
            let entity = NSEntityDescription()
            entity.name = kind.entity
            entity.managedObjectClassName = "NSManagedObject"
            entities[kind] = entity
        }
        var relationships: [ProgramLink: NSRelationshipDescription] = [:]
        for link in ProgramLink.allCases {
            let relationship = NSRelationshipDescription()
            relationship.name = link.name
            relationship.minCount = schema.requires(link) ? 1 : 0
            relationship.maxCount = link.isToMany ? 0 : 1
            relationship.isOptional = !schema.requires(link)
            relationship.isOrdered = schema.ordered.contains(link)
            relationship.destinationEntity = entities[link.destination]
            relationship.deleteRule = rule(schema.rule(link))
            relationships[link] = relationship
        }
        for (link, relationship) in relationships {
            relationship.inverseRelationship = relationships[link.inverse]
        }
        for kind in ProgramKind.allCases where kind != .novel {
            let own = kind.attributes.map { attribute($0, schema) }
            let links = kind.links.compactMap { relationships[$0] }
            entities[kind]?.properties = [numberAttribute()] + own + links
        }
        entities[.novel]?.properties = [attribute(.genre, schema)]
        entities[.book]?.subentities = [entities[.novel]].compactMap { $0 }
        let model = NSManagedObjectModel()
        model.entities = ProgramKind.allCases.compactMap { entities[$0] }
        return model
    }

    private static func rule(_ rule: ProgramSchema.Rule) -> NSDeleteRule {
        switch rule {
        case .nullify: .nullifyDeleteRule
        case .cascade: .cascadeDeleteRule
        case .deny: .denyDeleteRule
        }
    }

    private static func numberAttribute() -> NSAttributeDescription {
        let made = NSAttributeDescription()
        made.name = number
        made.attributeType = .integer64AttributeType
        return made
    }

    private static func attribute(
        _ attribute: ProgramAttribute, _ schema: ProgramSchema
    ) -> NSAttributeDescription {
        let made = NSAttributeDescription()
        made.name = attribute.rawValue
        made.attributeType = type(attribute.form)
        made.isOptional = !schema.requires(attribute)
        made.defaultValue = attribute.initial?.object
        return made
    }

    private static func type(_ form: ProgramAttribute.Form) -> NSAttributeType {
        switch form {
        case .text: .stringAttributeType
        case .whole: .integer32AttributeType
        case .real: .doubleAttributeType
        case .decimal: .decimalAttributeType
        case .date: .dateAttributeType
        case .flag: .booleanAttributeType
        case .bytes: .binaryDataAttributeType
        case .uuid: .UUIDAttributeType
        case .place: .URIAttributeType
        }
    }
}
