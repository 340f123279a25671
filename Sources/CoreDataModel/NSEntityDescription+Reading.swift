import CoreDataPredicate
import Foundation

/// Lets predicates read properties of an object's entity, as in `entity.name == 'Book'`.
extension NSEntityDescription: KeyValueCodable {
    /// Reads a property of the description by its Objective-C name.
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

/// Compares entities by name, as coordinators do. So in a predicate, an entity equals the same
/// entity in a copy of the model.
extension NSEntityDescription: PredicateIdentity {
    package var predicateIdentity: NSObject { NSString(string: "entity \(name ?? "")") }

    package func isSame(as other: any PredicateIdentity) -> Bool {
        predicateIdentity.isEqual(other.predicateIdentity)
    }
}
