import CoreDataStore
import Synchronization

// Checks the invariants of a context.
extension NSManagedObjectContext {
    /// Traps in a debug build if the context has broken an invariant; does nothing in a release
    /// build.
    ///
    /// Called at the end of a save, a fetch and a merge, on the context's queue, without holding a
    /// lock. A check reads every object and every cached row. In a large context this takes longer
    /// than a fetch, so only every 64th call in the process checks a large context.
    @inline(__always)
    final func checkInvariants() {
        assert(!isCheckDue || brokenInvariant() == nil, brokenInvariant() ?? "")
    }

    private var isCheckDue: Bool {
        guard let registry = try? requireRegistry() else { return false }
        let size = rowCaches.reduce(registry.count) { $0 + $1.count }
        return size <= WholeChecks.smallSize || WholeChecks.isDue()
    }

    /// The first broken invariant of the context, or nil. Checks the registry, the change lists,
    /// the unsaved values and the row cache.
    ///
    /// Changes nothing, fires no fault and runs no statement. Must be called on the context's
    /// queue. Takes the lock of the registry, and then the lock of the row cache.
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

    /// Checks that changed objects belong to this context, and that their state bits show whether
    /// they have unsaved values.
    private func brokenChange(in registry: ObjectRegistry) -> String? {
        // An object that has left the context stays in a change list until the next clean-up.
        if changes.hasStaleEntries { return nil }
        let own = Unmanaged.passUnretained(registry).toOpaque()
        for list in [changes.insertedList, changes.updatedList, changes.deletedList] {
            for object in list {
                if object.registryReference?.toOpaque() != own {
                    return "The changed object \(object.key) is not in the context."
                }
                if (object.pending != nil) != object.state.contains(.pending) {
                    return "The state bits of \(object.key) do not match its unsaved values."
                }
                if let broken = object.brokenPendingValues() { return broken }
            }
        }
        return nil
    }

    private var rowCaches: [RowCache] {
        guard parent == nil else { return [] }
        let both = [persistentStoreCoordinator?.rowCache, queryPin.generation?.rowCache]
        return both.compactMap { $0 }
    }
}

/// Decides at which calls a large context is checked.
private enum WholeChecks {
    /// Contexts with up to this number of objects and rows are checked at each call.
    static let smallSize = 512
    private static let calls = Atomic<Int>(0)

    static func isDue() -> Bool {
        calls.wrappingAdd(1, ordering: .relaxed).newValue % 64 == 0
    }
}
