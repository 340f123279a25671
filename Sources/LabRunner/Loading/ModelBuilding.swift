import CoreDataEngine
import CoreDataModel
import Foundation
import LabScenario

extension ModelShape {
    func makeModel() -> NSManagedObjectModel {
        var made: [String: NSEntityDescription] = [:]
        for shape in entities {
            let entity = NSEntityDescription()
            entity.name = shape.name.value
            entity.isAbstract = shape.isAbstract
            if let key = shape.onDelete { HookedObject.hook(entity, reading: key.value) }
            made[shape.name.value] = entity
        }
        for shape in entities {
            guard let entity = made[shape.name.value] else { continue }
            entity.properties = shape.properties.map { $0.makeProperty(entities: made) }
            entity.uniquenessConstraints = shape.unique.map { $0.map(\.value) }
        }
        for shape in entities {
            let children = entities.filter { $0.parent?.value == shape.name.value }
            made[shape.name.value]?.subentities = children.compactMap { made[$0.name.value] }
        }
        connectInverses(made)
        let model = NSManagedObjectModel()
        model.entities = entities.compactMap { made[$0.name.value] }
        return model
    }

    private func connectInverses(_ made: [String: NSEntityDescription]) {
        for shape in entities {
            for property in shape.properties {
                guard let inverse = property.relationship?.inverse,
                    let own = made[shape.name.value]?.relationshipsByName[property.name.value]
                else { continue }
                own.inverseRelationship =
                    own.destinationEntity?.relationshipsByName[inverse.value]
            }
        }
    }

    init(_ model: NSManagedObjectModel) {
        self.init(entities: model.entities.map(EntityShape.init))
    }
}

extension PropertyShape {
    fileprivate func makeProperty(entities: [String: NSEntityDescription]) -> NSPropertyDescription
    {
        let property: NSPropertyDescription
        switch kind {
        case .attribute(let type, let defaultValue):
            let attribute = NSAttributeDescription()
            attribute.attributeType = type.modelType
            attribute.defaultValue = defaultValue.flatMap {
                LiteralCoding.object($0.value, as: type.modelType.valueKind)
            }
            property = attribute
        case .relationship(let shape):
            let relationship = NSRelationshipDescription()
            relationship.destinationEntity = entities[shape.destination.value]
            relationship.maxCount = shape.arity == .one ? 1 : 0
            // Without a minimum, a required list of members could be empty.
            relationship.minCount = isRequired ? 1 : 0
            relationship.isOrdered = shape.arity == .ordered
            relationship.deleteRule = shape.deleteRule.modelRule
            property = relationship
        }
        property.name = name.value
        property.isOptional = !isRequired
        property.isTransient = isTransient
        return property
    }
}

extension AttributeType {
    var modelType: NSAttributeType {
        switch self {
        case .integer16: .integer16AttributeType
        case .integer32: .integer32AttributeType
        case .integer64: .integer64AttributeType
        case .boolean: .booleanAttributeType
        case .double: .doubleAttributeType
        case .float: .floatAttributeType
        case .decimal: .decimalAttributeType
        case .string: .stringAttributeType
        case .date: .dateAttributeType
        case .uuid: .UUIDAttributeType
        case .binary: .binaryDataAttributeType
        case .uri: .URIAttributeType
        }
    }

    init?(_ type: NSAttributeType) {
        guard let found = Self.allCases.first(where: { $0.modelType == type }) else { return nil }
        self = found
    }
}

extension RelationshipShape.DeleteRule {
    fileprivate var modelRule: NSDeleteRule {
        switch self {
        case .nullify: .nullifyDeleteRule
        case .cascade: .cascadeDeleteRule
        case .deny: .denyDeleteRule
        case .noAction: .noActionDeleteRule
        }
    }
}

extension EntityShape {
    fileprivate init(_ entity: NSEntityDescription) {
        let properties = entity.ownProperties.compactMap(PropertyShape.init)
        self.init(
            name: Located(entity.name ?? ""),
            parent: entity.superentity?.name.map { Located($0) }, isAbstract: entity.isAbstract,
            properties: properties,
            unique: entity.constraintNames.map { $0.map { Located($0) } })
    }
}

extension PropertyShape {
    /// Nil for a kind of property that steps cannot use.
    fileprivate init?(_ property: NSPropertyDescription) {
        let kind: Kind
        if let attribute = property as? NSAttributeDescription {
            guard let type = AttributeType(attribute.attributeType) else { return nil }
            kind = .attribute(type, defaultValue: nil)
        } else if let relationship = property as? NSRelationshipDescription {
            let arity: RelationshipShape.Arity =
                !relationship.isToMany ? .one : relationship.isOrdered ? .ordered : .many
            kind = .relationship(
                RelationshipShape(
                    arity: arity, destination: Located(relationship.destinationEntity?.name ?? ""),
                    inverse: relationship.inverseRelationship.map { Located($0.name) }))
        } else {
            return nil
        }
        let mayBeEmpty = (property as? NSRelationshipDescription).map {
            $0.isToMany && $0.minCount == 0
        }
        self.init(
            name: Located(property.name), kind: kind,
            isRequired: !property.isOptional && mayBeEmpty != true)
    }
}
