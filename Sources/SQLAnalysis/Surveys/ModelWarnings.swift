import CoreDataModel
import CoreDataPredicate

/// Xcode's warnings about a usable model, with their positions in the file.
struct ModelWarnings {
    private let entities: [NSEntityDescription]

    init(_ entities: [NSEntityDescription]) { self.entities = entities }

    func all() -> [String] {
        entities.flatMap { entity in
            entity.ownProperties.flatMap { property in
                problems(of: property).map { problem in
                    // The position has the format of compiler messages, so that editors can open
                    // it.
                    let place = property.sourceLocation.map { "\($0): " } ?? ""
                    return "\(place)warning: \(entity.name ?? "?").\(property.name) \(problem)"
                }
            }
        }
    }

    /// The names that every managed object already has. A property with such a name cannot have an
    /// accessor.
    private static let taken: Set = [
        "class", "context", "debugDescription", "description", "entity", "hash", "isDeleted",
        "isFault", "isInserted", "isUpdated", "managedObjectContext", "objectID", "self",
        "superclass", "version", "zone",
    ]

    private func problems(of property: NSPropertyDescription) -> [String] {
        var found: [String] = []
        if Self.taken.contains(property.name) {
            found.append("has a name that every object has already; rename it")
        }
        switch property {
        case let relationship as NSRelationshipDescription: found += problems(of: relationship)
        case let attribute as NSAttributeDescription: found += problems(of: attribute)
        default: break
        }
        return found
    }

    private func problems(of relationship: NSRelationshipDescription) -> [String] {
        var found: [String] = []
        if relationship.inverseRelationship == nil { found.append("should have an inverse") }
        if relationship.deleteRule == .noActionDeleteRule {
            found.append(
                "has the delete rule No Action, which may leave references to deleted objects")
        }
        if relationship.maxCount > 0, relationship.minCount > relationship.maxCount {
            found.append("has a minimum count above its maximum count")
        }
        return found
    }

    private static let insecure = [
        "", "NSKeyedUnarchiveFromData", "NSUnarchiveFromData",
        "NSKeyedUnarchiveFromDataTransformer",
        "NSUnarchiveFromDataTransformer",
    ]

    private func problems(of attribute: NSAttributeDescription) -> [String] {
        var found: [String] = []
        if attribute.attributeType == .transformableAttributeType,
            Self.insecure.contains(attribute.valueTransformerName ?? "")
        {
            found.append(
                "is using a nil or insecure transformer. Please switch to"
                    + " \"NSSecureUnarchiveFromDataTransformer\"")
        }
        if let value = attribute.defaultValue,
            attribute.validationPredicates.contains(where: {
                (try? $0.evaluateCore(with: value)) != true
            })
        {
            found.append("has a default value that its own validation refuses, so saving it fails")
        }
        return found
    }
}
