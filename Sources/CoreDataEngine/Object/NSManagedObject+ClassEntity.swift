import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation

/// Finds the entity of a class.
extension NSManagedObject: NSFetchRequestResult {
    /// Implements ``entity()``.
    class func claimedEntity() -> NSEntityDescription {
        guard let found = claimant() else { trap(CoreDataError(.invalidArgument, unclaimed)) }
        return found
    }

    /// The first entity that names the class. If other entities name it too, the log says so.
    private class func claimant() -> NSEntityDescription? {
        let found = ModelBinding.entities(forClass: self)
        if found.count > 1 {
            EngineLog.errorOnce(
                "Multiple NSEntityDescriptions claim the NSManagedObject subclass '\(self)' so"
                    + " +entity is unable to disambiguate.")
        }
        return found.first
    }

    private class var unclaimed: String {
        "No NSEntityDescriptions in any model claim the NSManagedObject subclass '\(self)' so"
            + " +entity is confused.  Have you loaded your NSManagedObjectModel yet ?"
    }

    /// Implements ``fetchRequest()``.
    class func claimedRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        if let name = claimant()?.name {
            return NSFetchRequest<any NSFetchRequestResult>(entityName: name)
        }
        EngineLog.error(unclaimed)
        return NSFetchRequest<any NSFetchRequestResult>()
    }
}

extension NSManagedObjectID: NSFetchRequestResult {}

/// Lets predicates and sort descriptors read objects.
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

extension NSManagedObject: OperandReadable {
    /// Reads a property by name for comparisons. Fires faults. If the stored value of an attribute
    /// can be compared directly, no object is created.
    package final func predicateOperand(
        forKey key: String
    ) throws(PredicateEvaluationError) -> Operand {
        guard !hasOwnAccessors, let slot = layout.valueSlot(named: key),
            layout.values[slot].kind != .toOne, layout.values[slot].coding == .plain
        else { return Operand(try predicateValue(forKey: key)) }
        do {
            let value = try readValue(at: slot)
            notifyWatcher(.read(self, slot: slot))
            return AttributeCoding.operand(from: value, kind: layout.values[slot].kind)
        } catch {
            throw PredicateEvaluationError(error.message)
        }
    }
}

/// Lets predicates treat an object, its copies in other contexts and its id as equal.
extension NSManagedObject: PredicateIdentity {
    package final var predicateIdentity: NSObject { objectID }

    /// Whether the other object is this object's id or represents the same row.
    package final func isSame(as other: any PredicateIdentity) -> Bool {
        if let other = other as? NSManagedObject, other.registry === registry {
            return other === self
        }
        return objectID.isEqual(other.predicateIdentity)
    }
}

extension NSManagedObjectID: PredicateIdentity {
    package var predicateIdentity: NSObject { self }

    /// Whether the other object is an equal id, or a managed object with an equal id.
    package func isSame(as other: any PredicateIdentity) -> Bool {
        isEqual(other.predicateIdentity)
    }
}
