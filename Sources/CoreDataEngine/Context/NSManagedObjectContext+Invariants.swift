import CoreDataStore
import Synchronization

// The whole checks of what a context is made of, and when they are made.
extension NSManagedObjectContext {
    /// Ends a debug build whose context has broken a promise; a release build has nothing of it.
    ///
    /// Called at the end of a save, a fetch and a merge, on the context's queue and with no lock
    /// held. A whole check looks at every object and every cached row; after each fetch of a
    /// program that has many it would take longer than the fetch. So where there are many, every
    /// 64th call of the process checks.
    @inline(__always)
    final func checkInvariants() {
        assert(!isCheckDue || brokenInvariant() == nil, brokenInvariant() ?? "")
    }

    private var isCheckDue: Bool {
        guard let registry = try? requireRegistry() else { return false }
        let size = rowCaches.reduce(registry.count) { $0 + $1.count }
        return size <= WholeChecks.smallSize || WholeChecks.isDue()
    }

    /// The first promise that the context's registry, change lists, unsaved values or row cache
    /// have broken, or nil.
    ///
    /// Changes nothing, fires no fault and runs no statement. On the context's queue; takes the
    /// locks of registry and row cache, one after the other.
    package final func brokenInvariant() -> String? {
        guard let registry = try? requireRegistry() else { return nil }
        if let broken = registry.brokenInvariant() { return broken }
        if let broken = changes.brokenInvariant() { return broken }
        if let broken = brokenChange(in: registry) { return broken }
        for cache in rowCaches {
            if let broken = cache.brokenInvariant() { return broken }
        }
        return nil
    }

    /// What is changed is of this context, and its state tells whether it has unsaved values.
    private func brokenChange(in registry: ObjectRegistry) -> String? {
        // Objects that have left the context are still in a list that is to be cleaned up.
        if changes.hasStaleEntries { return nil }
        let own = Unmanaged.passUnretained(registry).toOpaque()
        for list in [changes.insertedList, changes.updatedList, changes.deletedList] {
            for object in list {
                if object.registryReference?.toOpaque() != own {
                    return "The changed object \(object.key) is not one of the context."
                }
                if (object.pending != nil) != object.state.contains(.pending) {
                    return "The state of \(object.key) does not tell whether it has values."
                }
                if let broken = object.brokenPendingValues() { return broken }
            }
        }
        return nil
    }

    /// The row caches that the context reads and writes; what is behind a parent is the parent's.
    private var rowCaches: [RowCache] {
        guard parent == nil else { return [] }
        let both = [persistentStoreCoordinator?.rowCache, queryPin.generation?.rowCache]
        return both.compactMap { $0 }
    }
}

/// Which of the whole checks of large contexts are made.
private enum WholeChecks {
    /// So many objects and rows are looked at each time.
    static let smallSize = 512
    private static let calls = Atomic<Int>(0)

    static func isDue() -> Bool {
        calls.wrappingAdd(1, ordering: .relaxed).newValue % 64 == 0
    }
}
