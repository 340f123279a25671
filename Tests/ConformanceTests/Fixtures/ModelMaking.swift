import CoreData

// Short functions for fixture models, which are built in code.

func attribute(
    _ name: String, _ type: NSAttributeType, optional: Bool = true, default value: Any? = nil
) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = optional
    attribute.defaultValue = value
    return attribute
}

func entity(
    _ name: String, _ objectClass: NSManagedObject.Type, _ attributes: [NSAttributeDescription]
) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.managedObjectClassName = "ConformanceTests.\(objectClass)"
    entity.properties = attributes
    return entity
}

/// One side of a relationship.
struct End {
    let owner: NSEntityDescription
    let name: String
    var toMany = false
    var ordered = false
    var rule = NSDeleteRule.nullifyDeleteRule
}

func relate(_ one: End, _ other: End) {
    let pair = [(one, other.owner), (other, one.owner)].map { end, destination in
        let relationship = NSRelationshipDescription()
        relationship.name = end.name
        relationship.destinationEntity = destination
        relationship.minCount = 0
        relationship.maxCount = end.toMany ? 0 : 1
        relationship.isOrdered = end.ordered
        relationship.deleteRule = end.rule
        relationship.isOptional = true
        return relationship
    }
    pair[0].inverseRelationship = pair[1]
    pair[1].inverseRelationship = pair[0]
    one.owner.properties += [pair[0]]
    other.owner.properties += [pair[1]]
}

func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
}
