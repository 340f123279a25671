import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

/// What a class knows about its entity.
extension NSManagedObject: NSFetchRequestResult {
    /// The entity whose objects are instances of this class.
    ///
    /// Traps unless exactly one entity of the models in use names the class.
    public class func entity() -> NSEntityDescription {
        let found = ModelBinding.entities(forClass: self)
        guard found.count == 1 else {
            trap(
                CoreDataError(
                    .invalidArgument,
                    found.isEmpty
                        ? "No NSEntityDescriptions in any model claim the NSManagedObject subclass"
                            + " '\(self)' so +entity is confused.  Have you loaded your"
                            + " NSManagedObjectModel yet ?"
                        : "Multiple NSEntityDescriptions claim the NSManagedObject subclass"
                            + " '\(self)' so +entity is unable to disambiguate."))
        }
        return found[0]
    }

    /// A request for all objects of this class's entity.
    ///
    /// The one of the same name that a class declares for its own type, as Xcode writes it, is
    /// preferred.
    @_disfavoredOverload
    public class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        NSFetchRequest<any NSFetchRequestResult>(entityName: entity().name ?? "")
    }
}

extension NSManagedObjectID: NSFetchRequestResult {}

/// Predicates and sort descriptors read objects through this.
extension NSManagedObject: KeyValueCodable {
    /// Reads a property by name, for predicates and sort descriptors; fires faults.
    public final func predicateValue(
        forKey key: String
    ) throws(PredicateEvaluationError) -> Any? {
        do {
            return try readValue(forKey: key)
        } catch {
            throw PredicateEvaluationError(error.message)
        }
    }
}

/// A predicate takes an object, a copy of it in another context and its id for the same.
extension NSManagedObject: PredicateIdentity {
    /// The object's id.
    package final var predicateIdentity: NSObject { objectID }

    /// Whether the other is this object's id or stands for the same row.
    package final func isSame(as other: any PredicateIdentity) -> Bool {
        if let other = other as? NSManagedObject, other.registry === registry {
            return other === self
        }
        return objectID.isEqual(other.predicateIdentity)
    }
}

extension NSManagedObjectID: PredicateIdentity {
    /// The id itself.
    package var predicateIdentity: NSObject { self }

    /// Whether the other is an equal id, or an object with one.
    package func isSame(as other: any PredicateIdentity) -> Bool {
        isEqual(other.predicateIdentity)
    }
}
