import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Evaluates the value expressions of mappings.
extension NSMigrationManager {
    /// The value of a mapping expression.
    ///
    /// - Throws: 134170 for an expression that cannot be computed.
    func value(
        of expression: NSExpression, _ property: NSPropertyMapping?, in mapping: NSEntityMapping,
        policy: NSEntityMigrationPolicy, source: NSManagedObject? = nil,
        destination: NSManagedObject? = nil
    ) throws -> Any? {
        var variables: [String: Any] = [
            NSMigrationManagerKey: self, NSMigrationEntityMappingKey: mapping,
            NSMigrationEntityPolicyKey: policy,
            NSMigrationSourceObjectKey: source ?? NSNull(),
            NSMigrationDestinationObjectKey: destination ?? NSNull(),
        ]
        if let property { variables[NSMigrationPropertyMappingKey] = property }
        do throws(PredicateEvaluationError) {
            return try expression.valueCore(with: source, variables: variables)
        } catch {
            throw CoreDataError(
                .entityMigrationPolicy,
                "The value of '\(property?.name ?? "source")' in the mapping"
                    + " '\(mapping.name ?? "")' cannot be computed: \(error.message)"
            ).nsError
        }
    }

    /// - Throws: 134170 for a property that the entity does not have.
    func check(_ name: String, of entity: NSEntityDescription) throws(CoreDataError) {
        guard entity.propertiesByName[name] == nil else { return }
        throw CoreDataError(
            .entityMigrationPolicy,
            "The entity '\(entity.name ?? "")' has no property '\(name)'. Correct the name of the"
                + " property mapping.")
    }
}

/// The methods of a migration manager that `FUNCTION($manager, …)` may call.
enum MigrationMethods {
    static let destinationsOfMapping =
        "destinationInstancesForEntityMappingNamed:sourceInstances:"
    static let destinationsOfRelationship =
        "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
    static let sourcesOfMapping = "sourceInstancesForEntityMappingNamed:destinationInstances:"
    static let fetchRequest = "fetchRequestForSourceEntityNamed:predicateString:"
}

extension NSMigrationManager: MethodsCallableByName {
    package func call(
        _ name: String, _ arguments: [Any?]
    ) throws(PredicateEvaluationError) -> Any? {
        guard arguments.count == 2, let first = arguments[0] as? String else { throw unknown(name) }
        switch name {
        case MigrationMethods.destinationsOfMapping:
            return destinationInstances(
                forEntityMappingName: first, sourceInstances: MappedMembers.objects(arguments[1]))
        case MigrationMethods.destinationsOfRelationship:
            return destinationInstances(ofAny: MappedMembers.objects(arguments[1]))
        case MigrationMethods.sourcesOfMapping:
            return sourceInstances(
                forEntityMappingName: first,
                destinationInstances: MappedMembers.objects(arguments[1]))
        case MigrationMethods.fetchRequest:
            let request = NSFetchRequest<NSManagedObject>(entityName: first)
            request.includesSubentities = false
            if let text = arguments[1] as? String, text != "TRUEPREDICATE" {
                request.predicate = try predicate(text)
            }
            return request
        default: throw unknown(name)
        }
    }

    private func predicate(_ text: String) throws(PredicateEvaluationError) -> NSPredicate {
        do throws(PredicateFormatError) {
            return try NSPredicate.parse(text)
        } catch {
            throw PredicateEvaluationError("the mapping's filter cannot be read: \(error)")
        }
    }

    private func unknown(_ name: String) -> PredicateEvaluationError {
        PredicateEvaluationError(
            "a migration manager has no method '\(name)' that can be called by name; "
                + "override a method of NSEntityMigrationPolicy instead")
    }
}

extension NSMigrationManager: KeyValueCodable {
    /// Reads the keys of `$manager` that mapping expressions may use.
    public func predicateValue(
        forKey key: String
    ) throws(PredicateEvaluationError) -> Any? {
        switch key {
        case "sourceContext": return sourceContext
        case "destinationContext": return destinationContext
        case "sourceModel": return sourceModel
        case "destinationModel": return destinationModel
        case "mappingModel": return mappingModel
        case "currentEntityMapping": return currentEntityMapping
        case "migrationProgress": return migrationProgress
        case "userInfo":
            let named = (userInfo ?? [:]).compactMap { key, value in
                (key.base as? String).map { ($0, value) }
            }
            return Dictionary(named, uniquingKeysWith: { first, _ in first })
        default:
            throw PredicateEvaluationError(
                "a migration manager has no key '\(key)'; use sourceContext, destinationContext, "
                    + "sourceModel, destinationModel, userInfo or migrationProgress")
        }
    }
}

extension NSEntityMapping: KeyValueCodable {
    /// Reads the keys of `$entityMapping` that mapping expressions may use.
    public func predicateValue(
        forKey key: String
    ) throws(PredicateEvaluationError) -> Any? {
        switch key {
        case "name": return name
        case "sourceEntityName": return sourceEntityName
        case "destinationEntityName": return destinationEntityName
        default:
            throw PredicateEvaluationError(
                "an entity mapping has no key '\(key)'; "
                    + "use name, sourceEntityName or destinationEntityName")
        }
    }
}

extension NSPropertyMapping: KeyValueCodable {
    /// Reads the keys of `$propertyMapping` that mapping expressions may use.
    public func predicateValue(
        forKey key: String
    ) throws(PredicateEvaluationError) -> Any? {
        guard key == "name" else {
            throw PredicateEvaluationError("a property mapping has no key '\(key)'; use name")
        }
        return name
    }
}
