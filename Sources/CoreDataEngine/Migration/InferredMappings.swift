import CoreDataModel
import CoreDataPredicate

/// Converts an inferred mapping to entity and property mappings, with Core Data's names.
///
/// `NSMappingModel.inferredMappingModel` returns them. A migration in place does not need them.
struct InferredMappings {
    private let inference: MappingInference

    init(_ inference: MappingInference) { self.inference = inference }

    /// One mapping for each entity of the destination, then one for each removed entity.
    func all() -> [NSEntityMapping] {
        let (source, destination) = (inference.source, inference.destination)
        let kept = destination.layout.entities.map { mapping($0.index) }
        let gone = source.layout.entities.filter { inference.destinationIndex(of: $0.index) == nil }
        return kept
            + gone.map { entity in
                let mapping = NSEntityMapping()
                mapping.mappingType = .removeEntityMappingType
                mapping.name = "IEM_Remove_\(entity.name)"
                setSource(mapping, source.description(at: entity.index))
                return mapping
            }
    }

    private func mapping(_ index: Int) -> NSEntityMapping {
        let entity = inference.destination.description(at: index)
        let mapping = NSEntityMapping()
        mapping.destinationEntityName = entity.name
        mapping.destinationEntityVersionHash = entity.versionHash
        guard let sourceIndex = inference.sourceIndex(of: index) else {
            mapping.mappingType = .addEntityMappingType
            mapping.name = "IEM_Add_\(entity.name ?? "")"
            return mapping
        }
        let old = inference.source.description(at: sourceIndex)
        setSource(mapping, old)
        let isSame = old.name == entity.name && old.versionHash == entity.versionHash
        mapping.mappingType = isSame ? .copyEntityMappingType : .transformEntityMappingType
        mapping.name = "IEM_\(isSame ? "Copy" : "Transform")_\(entity.name ?? "")"
        let properties = entity.properties.filter { !$0.isTransient }
        mapping.attributeMappings = properties.compactMap {
            ($0 as? NSAttributeDescription).map { attribute($0, index) }
        }
        mapping.relationshipMappings = properties.compactMap {
            ($0 as? NSRelationshipDescription).map { relationship($0, index) }
        }
        return mapping
    }

    private func setSource(_ mapping: NSEntityMapping, _ entity: NSEntityDescription) {
        mapping.sourceEntityName = entity.name
        mapping.sourceEntityVersionHash = entity.versionHash
    }

    private func attribute(_ attribute: NSAttributeDescription, _ index: Int) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = attribute.name
        if let old = inference.sourceProperty(of: attribute, in: index), !old.isTransient {
            mapping.valueExpression = MappingExpressions.sourceValue(old.name)
        }
        return mapping
    }

    private func relationship(
        _ relationship: NSRelationshipDescription, _ index: Int
    ) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = relationship.name
        if let old = inference.sourceProperty(of: relationship, in: index), !old.isTransient {
            mapping.valueExpression = MappingExpressions.destinations(
                ofRelationship: old.name, MappingExpressions.sourceValue(old.name))
        }
        return mapping
    }
}

/// Builds the expressions that Xcode's mapping editor writes in simple cases.
enum MappingExpressions {
    /// `$source.name`
    static func sourceValue(_ name: String) -> NSExpression { sourceValue([name]) }

    /// `$source`, or a path below it.
    static func sourceValue(_ keys: [String]) -> NSExpression {
        let source = NSExpression(forVariable: NSMigrationSourceObjectKey)
        return keys.isEmpty ? source : NSExpression(node: .path(source, keys))
    }

    /// `FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", …)`
    ///
    /// - Parameter predicate: nil for all objects of the entity.
    static func fetch(_ entity: String, where predicate: String?) -> NSExpression {
        call(
            MigrationMethods.fetchRequest,
            [
                NSExpression(forConstantValue: entity),
                NSExpression(forConstantValue: predicate ?? "TRUEPREDICATE"),
            ])
    }

    /// `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", …)`
    static func destinations(
        ofMapping mapping: String, _ sources: NSExpression
    ) -> NSExpression {
        call(
            MigrationMethods.destinationsOfMapping,
            [NSExpression(forConstantValue: mapping), sources])
    }

    /// `FUNCTION($manager, "destinationInstancesForSourceRelationshipNamed:sourceInstances:", …)`
    static func destinations(
        ofRelationship name: String, _ sources: NSExpression
    ) -> NSExpression {
        call(
            MigrationMethods.destinationsOfRelationship,
            [NSExpression(forConstantValue: name), sources])
    }

    private static func call(_ method: String, _ arguments: [NSExpression]) -> NSExpression {
        NSExpression(
            forFunction: NSExpression(forVariable: NSMigrationManagerKey), selectorName: method,
            arguments: arguments)
    }
}
