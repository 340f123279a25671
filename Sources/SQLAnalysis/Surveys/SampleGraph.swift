import CoreDataEngine
import CoreDataModel
import CoreDataPredicate

/// Creates one object of each concrete entity, with all required values and relationships.
struct SampleGraph {
    let model: NSManagedObjectModel
    let context: NSManagedObjectContext
    /// Whether to fill optional relationships as well.
    var fillsAll = false

    private typealias Made = (entity: NSEntityDescription, object: NSManagedObject)

    func save() throws {
        var objects: [Made] = []
        for (number, entity) in model.entities.enumerated() where !entity.isAbstract {
            let object = try context.insertObject(entityNamed: entity.name ?? "")
            let samples = SampleValues(number: number)
            for case let attribute as NSAttributeDescription in entity.properties {
                guard let value = try samples.value(of: attribute) else { continue }
                try object.writeValue(value, forKey: attribute.name)
            }
            objects.append((entity, object))
        }
        for (entity, object) in objects {
            for case let relationship as NSRelationshipDescription in entity.properties {
                try fill(relationship, of: object, from: objects)
            }
        }
        try context.saveChanges()
    }

    private func fill(
        _ relationship: NSRelationshipDescription, of object: NSManagedObject, from objects: [Made]
    ) throws {
        guard fillsAll || !relationship.isOptional, !relationship.isTransient,
            let destination = relationship.destinationEntity
        else { return }
        let known = try object.readValue(forKey: relationship.name)
        let isEmpty = (known as? NSSet)?.count == 0 || (known as? NSOrderedSet)?.count == 0
        guard known == nil || isEmpty else { return }
        guard let partner = objects.first(where: { $0.entity.isKindOf(entity: destination) }) else {
            if relationship.isOptional { return }
            throw SurveyProblem(
                "\(relationship.name) is required, and \(destination.name ?? "") has no objects")
        }
        let value: Any = relationship.isToMany ? Set([partner.object]) : partner.object
        if relationship.isToMany, relationship.isOrdered {
            try object.writeValue(NSOrderedSet(object: partner.object), forKey: relationship.name)
        } else {
            try object.writeValue(value, forKey: relationship.name)
        }
    }
}
