import CoreDataPredicate
import Foundation

/// Predicates read the entity of an object: `entity.name == 'Book'`.
extension NSEntityDescription: KeyValueCodable {
    /// Reads what every entity has by its name in Objective-C.
    public func predicateValue(forKey key: String) throws(PredicateEvaluationError) -> Any? {
        switch key {
        case "name": return name
        case "managedObjectClassName": return managedObjectClassName
        case "userInfo": return userInfo
        case "abstract", "isAbstract": return isAbstract
        case "renamingIdentifier": return renamingIdentifier
        case "versionHashModifier": return versionHashModifier
        default:
            throw PredicateEvaluationError(
                "an entity description has no value for the key '\(key)'; use name,"
                    + " managedObjectClassName, userInfo, abstract, renamingIdentifier or"
                    + " versionHashModifier")
        }
    }
}

/// A predicate takes the entity of a model and the one of the model's copy for the same, as the
/// coordinators of both do: by the name.
extension NSEntityDescription: PredicateIdentity {
    package var predicateIdentity: NSObject { NSString(string: "entity \(name ?? "")") }

    package func isSame(as other: any PredicateIdentity) -> Bool {
        predicateIdentity.isEqual(other.predicateIdentity)
    }
}
