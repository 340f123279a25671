import CoreData

/// The accessors are typed.
final class Step: NSManagedObject {
    override class var propertySlots: [String]? { ["done", "plan", "title"] }

    var isDone: Bool {
        get { read(0) }
        set { write(0, newValue) }
    }

    var plan: Plan? {
        get { readObject(1) }
        set { writeObject(1, newValue) }
    }

    var title: String? {
        get { read(2) }
        set { write(2, newValue) }
    }
}

final class Plan: NSManagedObject {
    var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }

    var steps: [Step] {
        (value(forKey: "steps") as? NSOrderedSet)?.array as? [Step] ?? []
    }
}

enum Model {
    static func make() -> NSManagedObjectModel {
        let step = entity("Step", Step.self)
        let plan = entity("Plan", Plan.self)
        let owner = NSRelationshipDescription()
        owner.name = "plan"
        owner.destinationEntity = plan
        owner.maxCount = 1
        let steps = NSRelationshipDescription()
        steps.name = "steps"
        steps.destinationEntity = step
        steps.isOrdered = true
        steps.deleteRule = .cascadeDeleteRule
        owner.inverseRelationship = steps
        steps.inverseRelationship = owner
        step.properties = [
            attribute("title", .stringAttributeType), attribute("done", .booleanAttributeType),
            owner,
        ]
        plan.properties = [attribute("name", .stringAttributeType), steps]
        let model = NSManagedObjectModel()
        model.entities = [step, plan]
        return model
    }

    private static func entity(
        _ name: String, _ objectClass: NSManagedObject.Type
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = NSStringFromClass(objectClass)
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }
}
