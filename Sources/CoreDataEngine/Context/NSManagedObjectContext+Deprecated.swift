import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation
import Synchronization

/// API that Core Data still declares and that programs should not call.
extension NSManagedObjectContext {

    /// Unavailable: the context would run on the calling thread. Use `init(_:)`.
    @available(*, deprecated, message: "Use init(_:) with a queue type.")
    public class func new() -> Self {
        trap(
            CoreDataError(
                .invalidArgument,
                "new() creates a context of the confinement type, which no longer exists. Use"
                    + " NSManagedObjectContext(.privateQueue) or (.mainQueue)."))
    }
}

/// The locks of the contexts that programs have locked. A lock exists while a thread holds it or
/// waits for it.
enum ContextLocks {
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
            // Safe: the line above has created the entry.
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
