import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Migrates the objects of one entity mapping. A subclass overrides the steps that it changes.
///
/// A migration manager creates one policy for each entity mapping. It calls the methods in the
/// order in which they are declared here, on the queue of both of its contexts.
open class NSEntityMigrationPolicy: NSObject {
    /// Creates a policy; the manager calls this on the class that the mapping names.
    public required override init() { super.init() }

    /// Called once, before all other methods. This class does nothing.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Creates the destination objects of a source object.
    ///
    /// This class creates one object of the destination entity with the values of the attribute
    /// mappings, and associates it with the source object.
    ///
    /// - Throws: 134170 for a value expression that cannot be computed, 134110 for a number of the
    ///   source that does not fit the type of the destination.
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws {
        guard let entity = manager.destinationEntity(for: mapping) else { return }
        let object = NSManagedObject(entity: entity, insertInto: manager.destinationContext)
        for property in mapping.attributeMappings ?? [] {
            guard let name = property.name, let expression = property.valueExpression else {
                continue
            }
            let value = try manager.value(
                of: expression, property, in: mapping, policy: self, source: sInstance,
                destination: object)
            try bridgingErrors { () throws(CoreDataError) in
                try manager.check(name, of: entity)
                let fitting = try manager.converted(
                    value, by: expression, of: sInstance, to: name, of: entity)
                object.setValue(fitting, forKey: name)
            }
        }
        manager.associate(
            sourceInstance: sInstance, withDestinationInstance: object, for: mapping)
    }

    /// Called once all objects of the mapping exist. This class does nothing.
    open func endInstanceCreation(
        forMapping mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {}

    /// Sets the relationships of an object from the relationship mappings.
    ///
    /// - Throws: 134170 for a value expression that cannot be computed.
    open func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws {
        let source = manager.sourceInstances(
            forEntityMappingName: mapping.name, destinationInstances: [dInstance]
        ).first
        for property in mapping.relationshipMappings ?? [] {
            guard let name = property.name, let expression = property.valueExpression else {
                continue
            }
            let value = try manager.value(
                of: expression, property, in: mapping, policy: self, source: source,
                destination: dInstance)
            try bridgingErrors { () throws(CoreDataError) in
                try manager.check(name, of: dInstance.entity)
                dInstance.setValue(
                    MappedMembers.value(value, dInstance.entity, name), forKey: name)
            }
        }
    }

    /// Called once all relationships of the mapping are set. This class does nothing.
    open func endRelationshipCreation(
        forMapping mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {}

    /// Called before the objects are saved. This class does nothing.
    open func performCustomValidation(
        forMapping mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {}

    /// Called last. This class does nothing.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}
}

/// Converts the result of a relationship mapping's expression to a value of the relationship: an
/// object, a set or an ordered set.
package enum MappedMembers {
    static func value(_ value: Any?, _ entity: NSEntityDescription, _ name: String) -> Any? {
        let objects = objects(value)
        guard let relationship = entity.relationshipsByName[name], relationship.isToMany else {
            return objects.first
        }
        return relationship.isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects)
    }

    /// The objects of a collection; for a single object, an array with this object.
    package static func objects(_ value: Any?) -> [NSManagedObject] {
        switch value {
        case let object as NSManagedObject: [object]
        case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
        case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
        case let set as Set<NSManagedObject>: Array(set)
        case let objects as [Any]: objects.compactMap { $0 as? NSManagedObject }
        default: []
        }
    }
}
