import CoreDataModel
import CoreDataStore
import Synchronization

// Checks the invariants of the identity map.
extension ObjectRegistry {
    /// The first broken invariant, or nil.
    ///
    /// Reads every object, but neither fires nor retains objects. Called on the context's queue.
    /// Takes the registry's lock, which the caller must not hold.
    package func brokenInvariant() -> String? {
        if let broken = lock.withLock({ _ in brokenTable() }) { return broken }
        return faultRoute?.lend { route throws(Never) in route.rows.brokenInvariant() } ?? nil
    }

    private func brokenTable() -> String? {
        for root in 0..<entityCount {
            if let broken = tables[root].brokenInvariant() { return "Objects: \(broken)" }
            var broken: String?
            tables[root].forEachKey { key, pointer in
                // The pointer is valid: if another thread releases the object, the object's
                // `deinit` waits for the lock.
                let object = Unmanaged<NSManagedObject>.fromOpaque(pointer)
                if broken == nil {
                    broken = object._withUnsafeGuaranteedRef { brokenObject($0, key, root) }
                }
            }
            if let broken { return broken }
        }
        return nil
    }

    private func brokenObject(_ object: NSManagedObject, _ key: Int64, _ root: Int) -> String? {
        if object.key != key { return "The object \(object.key) is stored under the key \(key)." }
        if object.rootIndex != root { return "The object \(key) is in another root's table." }
        let own = Unmanaged.passUnretained(self).toOpaque()
        return object.registryReference?.toOpaque() == own
            ? nil : "The object \(key) is registered here but refers to another registry."
    }
}
