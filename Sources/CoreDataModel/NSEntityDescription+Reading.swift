import CoreDataPredicate
import Foundation

/// Predicates read the entity of an object: `entity.name == 'Book'`.
extension NSEntityDescription: KeyValueCodable {
    /// Reads a property that every entity has, by its Objective-C name.
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

/// A predicate treats an entity of a model and that of the model's copy as equal, as their
/// coordinators do: by name.
extension NSEntityDescription: PredicateIdentity {
    package var predicateIdentity: NSObject { NSString(string: "entity \(name ?? "")") }

    package func isSame(as other: any PredicateIdentity) -> Bool {
        predicateIdentity.isEqual(other.predicateIdentity)
    }
}
