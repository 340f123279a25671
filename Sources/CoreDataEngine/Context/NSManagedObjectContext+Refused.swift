import CoreDataModel
import CoreDataStore
import Foundation

/// What Core Data still declares and nobody should call: each ends the process with what to do
/// instead.
extension NSManagedObjectContext {
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
