import CoreDataModel
import CoreDataStore
import Foundation

/// What Core Data still declares and nobody should call: each ends the process with what to do
/// instead. Assigning a new object to its store is here too, because one store keeps an entity.
extension NSManagedObjectContext {
    /// Says which store a new object is to be saved to.
    ///
    /// An entity is kept by one store of a coordinator, so there is never another choice; a store
    /// that does not keep the object's entity, and an object that was saved, are errors.
    public final func assign(_ object: Any, to store: NSPersistentStore) {
        served("assign(_:to:)") { () throws(CoreDataError) in try assignObject(object, to: store) }
    }

    package final func assignObject(
        _ object: Any, to store: NSPersistentStore
    ) throws(CoreDataError) {
        try checkConfined("assign(_:to:)")
        guard let object = object as? NSManagedObject, object.registry === (try requireRegistry())
        else {
            throw CoreDataError(
                .invalidArgument, "assign(_:to:) takes a managed object of this context.")
        }
        let own = source.store(for: object.layout)
        if own === store { return }
        if !object.isInserted {
            throw CoreDataError(
                .invalidArgument,
                "Can't reassign an object to a different store once it has been saved.")
        }
        throw CoreDataError(
            .invalidArgument,
            "Can't assign an object to a store that does not contain the object's entity: the"
                + " store '\(store.identifier ?? "")' does not keep '\(object.layout.name)'.")
    }

    /// Refused: a context is no lock. Use `performAndWait`.
    @available(*, deprecated, message: "Use performAndWait.")
    public final func lock() { Self.refuse("lock()") }

    /// Refused: a context is no lock. Use `performAndWait`.
    @available(*, deprecated, message: "Use performAndWait.")
    public final func unlock() { Self.refuse("unlock()") }

    /// Refused: a context is no lock. Use `performAndWait`.
    @available(*, deprecated, message: "Use performAndWait.")
    public final func tryLock() -> Bool { Self.refuse("tryLock()") }

    /// Refused: nothing observes keys here. Observe `didChangeObjectsNotification`.
    public final func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [String: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        trap(
            CoreDataError(
                .unsupported,
                "Keys are not observed on this platform: a value for '\(keyPath ?? "")' came to a"
                    + " context. Observe its didChangeObjectsNotification."))
    }

    /// Refused: the context would work on whatever thread uses it. Use `init(_:)`.
    @available(*, deprecated, message: "Use init(_:) with a queue type.")
    public class func new() -> Self {
        trap(
            CoreDataError(
                .unsupported,
                "new() makes a context without a queue, which no longer exists. Use"
                    + " NSManagedObjectContext(.privateQueue) or (.mainQueue)."))
    }

    private static func refuse(_ verb: String) -> Never {
        trap(
            CoreDataError(
                .unsupported,
                "A context cannot be locked: \(verb) was called. Put the work into"
                    + " performAndWait."))
    }
}
