import CoreDataModel
import CoreDataPredicate
import Foundation

/// The entity of a row as a value in predicates. It equals an entity description with the same
/// name.
final class ViewedEntity: NSObject, KeyValueCodable, PredicateIdentity {
    private let name: String

    init(_ entity: EntityLayout) { name = entity.name }

    func predicateValue(forKey key: String) throws(PredicateEvaluationError) -> Any? {
        if key == "name" { return name }
        throw PredicateEvaluationError(
            "the entity of a stored row has no value for the key '\(key)'; use name")
    }

    var predicateIdentity: NSObject { NSString(string: "entity \(name)") }

    func isSame(as other: any PredicateIdentity) -> Bool {
        predicateIdentity.isEqual(other.predicateIdentity)
    }
}
