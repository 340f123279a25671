import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Merges the changes that other contexts saved.
extension NSManagedObjectContext {

    /// Implements `mergeChanges(fromContextDidSave:)`, but throws the errors for which that method
    /// traps.
    package final func mergeSaved(_ notification: Notification) throws(CoreDataError) {
        try checkConfined("mergeChanges(fromContextDidSave:)")
        let keys = Self.savedKeys(notification.userInfo ?? [:], context: self)
        let saver = notification.object as? NSManagedObjectContext
        if let own = persistentStoreCoordinator,
            saver == nil || saver?.persistentStoreCoordinator.map({ $0 !== own }) ?? false
        {
            // Another stack or a batch request wrote the store, so the cached rows of these objects
            // are outdated.
            own.rowCache.invalidate(keys.updated + keys.deleted)
        }
        try merge(keys)
        emit(.merged(from: saver, isAutomatic: false, keys))
    }

    static func savedKeys(
        _ userInfo: [AnyHashable: Any], context: NSManagedObjectContext
    ) -> SavedKeys {
        func keys(_ objects: String, _ ids: String) -> [ObjectKey] {
            var found: [ObjectKey] = []
            if let objects = userInfo[objects] as? Set<NSManagedObject> {
                found.reserveCapacity(objects.count)
                for object in objects {
                    if let key = context.ownKey(of: object) { found.append(key) }
                }
            } else if let ids = userInfo[ids] as? Set<NSManagedObjectID> {
                let coordinator = context.persistentStoreCoordinator
                found = ids.compactMap { coordinator?.ownKey(of: $0) }
            }
            return ObjectKey.inOrder(found)
        }
        return SavedKeys(
            inserted: keys(NSInsertedObjectsKey, NSInsertedObjectIDsKey),
            updated: keys(NSUpdatedObjectsKey, NSUpdatedObjectIDsKey),
            deleted: keys(NSDeletedObjectsKey, NSDeletedObjectIDsKey))
    }

    /// The key of an object, which may belong to another context, in this context. Nil if the
    /// object's store does not belong to this coordinator.
    private func ownKey(of object: NSManagedObject) -> ObjectKey? {
        if knownRegistry?.owns(object.layoutReference) == true { return object.objectKey }
        // The object belongs to another model, in which entities may have other indexes. So the key
        // is read from the id.
        let id = object.objectID
        return id.isTemporaryID ? nil : persistentStoreCoordinator?.ownKey(of: id)
    }

    package final func enqueueMerge(of keys: SavedKeys, from name: String?) {
        queue.enqueue("merge from \(name ?? "context")") { [weak self] in
            guard let self else { return }
            // A context that is pinned to the state of a token keeps that state.
            if case .fixed = self.queryPin { return }
            orTrap { () throws(CoreDataError) in try self.merge(keys) }
            emit(.merged(from: nil, isAutomatic: true, keys))
        }
    }

    /// Merges the changes of saved objects, given by their keys. Must be called on the context's
    /// queue. Rows come from the row cache or the parent.
    package final func merge(_ keys: SavedKeys) throws(CoreDataError) {
        notifyWatcher(.merging(keys))
        defer { notifyWatcher(.merged(keys)) }
        try unheard { () throws(CoreDataError) in
            try notifyingTogether { () throws(CoreDataError) in
                try withoutUndo { () throws(CoreDataError) in try mergeEach(keys, nil) }
            }
        }
        // If this context has deleted an object, the delete rules may fail because other objects
        // cannot be read. This error is ignored here. The rules run again at the save, which can
        // report it.
        do { try processPending() } catch { if changes.unpropagated.isEmpty { throw error } }
        postMerged(keys)
        checkInvariants()
    }

    /// Merges a save of the parent, with the rows that the parent has sent. Sends no requests to
    /// the parent.
    final func merge(_ keys: SavedKeys, with rows: SentRows) throws(CoreDataError) {
        isTakingArrivals = true
        defer { isTakingArrivals = false }
        notifyWatcher(.merging(keys))
        defer { notifyWatcher(.merged(keys)) }
        try unheard { () throws(CoreDataError) in
            try notifyingTogether { () throws(CoreDataError) in
                try withoutUndo { () throws(CoreDataError) in try mergeEach(keys, rows) }
            }
        }
        // Delete rules would read destinations from the parent. So pending deletions are processed
        // later, at the end of this context's next event.
        if changes.unpropagated.isEmpty { try processPending() }
        postMerged(keys)
        checkInvariants()
    }

    private func mergeEach(_ keys: SavedKeys, _ rows: SentRows?) throws(CoreDataError) {
        let registry = try requireRegistry()
        try persistentStoreCoordinator?.faultPoints.reach(.merge)
        advanceGeneration()
        // Unsaved links to deleted objects are removed first. If a link was nil in the old row, it
        // is then no longer an unsaved change, so the newest row determines its value.
        for key in keys.deleted where !mutant(.mergeIgnoresDeletes) {
            if let object = registry.registered(key), !object.state.contains(.deleted) {
                object.removeUnsavedLinks()
            }
        }
        for key in keys.inserted { try mergeInserted(key, rows, registry) }
        for key in keys.updated where !mutant(.mergeIgnoresUpdates) {
            if let object = registry.registered(key) { try mergeUpdated(object, key, rows) }
        }
        for key in keys.deleted where !mutant(.mergeIgnoresDeletes) {
            if let object = registry.registered(key) { mergeDeleted(object) }
        }
        if trace.isOn {
            trace.record(
                .merge(
                    context: name ?? "", inserted: keys.inserted.count,
                    updated: keys.updated.count, deleted: keys.deleted.count))
        }
    }

    private func mergeInserted(
        _ key: ObjectKey, _ rows: SentRows?, _ registry: ObjectRegistry
    ) throws(CoreDataError) {
        let known = registry.registered(key)
        let object = known ?? registry.object(for: key)
        if let known { try mergeUpdated(known, key, rows) }
        changes.noteMergedInsert(object)
    }

    private func mergeUpdated(
        _ object: NSManagedObject, _ key: ObjectKey, _ rows: SentRows?
    ) throws(CoreDataError) {
        if !object.state.isDisjoint(with: [.inserted, .deleted]) { return }
        changes.noteRefreshed(object)
        if object.state.contains(.fault) {
            if parent != nil { object.take(nil) }
            return
        }
        let newest: UnsafeRawPointer? =
            if let rows, !mutant(.mergeAsksTheParent) {
                rows[key].map(Self.retained)
            } else {
                registry.newestCachedRow(key) ?? newestRow(orFault: object).map(Self.retained)
            }
        // A missing row is detected by the merge of its deletion, or by the next save.
        guard let newest else { return }
        if mutant(.mergeDropsChanges) {
            for slot in object.layout.values.indices { object.dropChange(of: slot) }
        }
        object.rebase(taking: newest)
        assert(object.cells == newest, "the merged object does not have the newest row")
        object.awake(fromSnapshotEvents: .refresh)
    }

    /// Retains the block of a row and returns the row.
    private static func retained(_ row: RowReference) -> UnsafeRawPointer {
        _ = Unmanaged.passRetained(row.block)
        return row.cells
    }

    /// The newest row in the source; nil if it does not exist or cannot be read.
    ///
    /// A merge cannot report an unreadable row. So an object without changes becomes a fault, and
    /// its next use reads the row. An object with changes keeps its old row, so that its save is
    /// checked for conflicts.
    private func newestRow(orFault object: NSManagedObject) -> RowReference? {
        do throws(CoreDataError) {
            return try row(of: object.objectKey, notBefore: nil)?.row
        } catch {
            if object.state.isDisjoint(with: .changed) {
                _ = object.turnIntoFault()
                object.take(nil)
            }
            return nil
        }
    }

    private func mergeDeleted(_ object: NSManagedObject) {
        if object.state.contains(.deleted) { return }
        if object.state.contains(.updated) {
            object.state.remove(.updated)
            changes.noteCleared()
        }
        changes.noteMergedDeletion(object, isPending: false)
    }
}
