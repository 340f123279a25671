import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// What hand-written accessors of to-many relationships call around a change, and what is left of
/// key-value observation.
extension NSManagedObject {
    /// Notes that a to-many relationship is about to change: fires the fault.
    public final func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        willChangeValue(forKey: inKey)
    }

    /// Notes that a to-many relationship has changed: the object is now dirty.
    public final func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        didChangeValue(forKey: inKey)
    }

    /// Always nil: nothing observes keys here.
    public final func observationInfo() -> UnsafeMutableRawPointer? { nil }

    /// Keeps nothing, and tells the log once: nothing observes keys here.
    public final func setObservationInfo(_ inObservationInfo: UnsafeMutableRawPointer?) {
        if inObservationInfo == nil { return }
        EngineLog.errorOnce(
            "keys are not observed on this platform. Observe the context's"
                + " didChangeObjectsNotification.")
    }

    /// Checks one value as a save would, before it is set; a check of ``propertyValidators`` may
    /// put another in its place.
    ///
    /// - Throws: the first error of 1550–1680 for the value, or what the class's own check throws;
    ///   `unknownKey` for no property.
    public final func validateValue(_ value: inout Any?, forKey key: String) throws {
        let given = value
        value = try bridgingErrors { () throws(CoreDataError) in
            try ObjectValidation.validate(given, forKey: key, of: self)
        }
    }
}

/// How members of a set are about to change.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    case union = 1
    case minus = 2
    case intersect = 3
    case set = 4
}
