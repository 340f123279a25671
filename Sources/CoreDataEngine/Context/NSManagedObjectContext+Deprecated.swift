import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization

/// What Core Data still declares and nobody should call.
extension NSManagedObjectContext {
    /// Waits until no other thread has locked the context; the calling thread may lock it again.
    ///
    /// Such a lock says nothing about the context's queue: use `performAndWait`.
    @available(*, deprecated, message: "Use performAndWait.")
    public final func lock() { ContextLocks.lock(self) }

    /// Ends one ``lock()`` or ``tryLock()``; without one it is told in the log.
    @available(*, deprecated, message: "Use performAndWait.")
    public final func unlock() { ContextLocks.unlock(self) }

    /// Locks the context unless another thread has; never waits.
    @available(*, deprecated, message: "Use performAndWait.")
    public final func tryLock() -> Bool { ContextLocks.tryLock(self) }

    /// Does nothing but tell the log: nothing observes keys here. Observe
    /// `didChangeObjectsNotification`.
    public final func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [String: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        EngineLog.errorOnce(
            "a value for '\(keyPath ?? "")' came to a context, which observes no keys on this"
                + " platform. Observe its didChangeObjectsNotification.")
    }

    /// Refused: the context would work on whatever thread uses it. Use `init(_:)`.
    @available(*, deprecated, message: "Use init(_:) with a queue type.")
    public class func new() -> Self {
        trap(
            CoreDataError(
                .invalidArgument,
                "new() makes a context of the confinement type, which no longer exists. Use"
                    + " NSManagedObjectContext(.privateQueue) or (.mainQueue)."))
    }
}

/// The locks of the contexts that programs have locked, each as long as somebody holds it or waits.
private enum ContextLocks {
    private struct Entry {
        let lock = NSRecursiveLock()
        var users = 0
    }

    private static let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    static func lock(_ context: NSManagedObjectContext) { enter(context).lock() }

    static func tryLock(_ context: NSManagedObjectContext) -> Bool {
        if enter(context).try() { return true }
        _ = leave(context)
        return false
    }

    static func unlock(_ context: NSManagedObjectContext) {
        guard let lock = leave(context) else {
            return EngineLog.errorOnce("unlock() was called for a context that is not locked")
        }
        lock.unlock()
    }

    private static func enter(_ context: NSManagedObjectContext) -> NSRecursiveLock {
        entries.withLock { entries in
            entries[ObjectIdentifier(context), default: Entry()].users += 1
            // Safe: the line above has made it.
            return entries[ObjectIdentifier(context)]?.lock ?? NSRecursiveLock()
        }
    }

    private static func leave(_ context: NSManagedObjectContext) -> NSRecursiveLock? {
        entries.withLock { entries in
            guard var entry = entries[ObjectIdentifier(context)] else { return nil }
            entry.users -= 1
            entries[ObjectIdentifier(context)] = entry.users == 0 ? nil : entry
            return entry.lock
        }
    }
}
