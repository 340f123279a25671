import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Merging the changes that other contexts saved.
extension NSManagedObjectContext {

    /// Does the work of `mergeChanges(fromContextDidSave:)`, but throws the errors for which that
    /// method traps.
    package final func mergeSaved(_ notification: Notification) throws(CoreDataError) {
        try checkConfined("mergeChanges(fromContextDidSave:)")
        let keys = Self.savedKeys(notification.userInfo ?? [:], context: self)
        let saver = notification.object as? NSManagedObjectContext
        if let own = persistentStoreCoordinator,
            saver == nil || saver?.persistentStoreCoordinator.map({ $0 !== own }) ?? false
        {
            // Another stack or a batch request wrote the file, so the cached rows are outdated.
            own.rowCache.invalidate(keys.updated + keys.deleted)
        }
        try merge(keys)
        emit(.merged(from: saver, isAutomatic: false, keys))
    }

    /// The keys in a did-save notification, from its objects or ids.
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

    /// The key under which this context registers an object of any context; nil if the object's
    /// store does not belong to this coordinator.
    private func ownKey(of object: NSManagedObject) -> ObjectKey? {
        if knownRegistry?.owns(object.layoutReference) == true { return object.objectKey }
        // The object belongs to another model, whose entity indexes differ, so the key is derived
        // from the id.
        let id = object.objectID
        return id.isTemporaryID ? nil : persistentStoreCoordinator?.ownKey(of: id)
    }

    /// Enqueues a merge on the context's queue.
    package final func enqueueMerge(of keys: SavedKeys, from name: String?) {
        queue.enqueue("merge from \(name ?? "context")") { [weak self] in
            guard let self else { return }
            // A context that was pinned to an earlier state keeps this state until it is pinned to
            // another state.
            if case .fixed = self.queryPin { return }
            orTrap { () throws(CoreDataError) in try self.merge(keys) }
            emit(.merged(from: nil, isAutomatic: true, keys))
        }
    }

    /// Merges the changes of saved objects, given by id. Must be called on the context's queue.
    /// Rows come from the row cache or the parent.
    package final func merge(_ keys: SavedKeys) throws(CoreDataError) {
        notifyWatcher(.merging(keys))
        defer { notifyWatcher(.merged(keys)) }
        try unheard { () throws(CoreDataError) in
            try notifyingTogether { () throws(CoreDataError) in
                try withoutUndo { () throws(CoreDataError) in try mergeEach(keys, nil) }
            }
        }
        // If the delete rules of an object that this context has deleted cannot read other objects,
        // they are applied at the save, which can report the error.
        do { try processPending() } catch { if changes.unpropagated.isEmpty { throw error } }
        postMerged(keys)
        checkInvariants()
    }

    /// Merges a save of the parent. Uses the rows that the parent has sent, and does not send
    /// requests to the parent.
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
        // Delete rules read destinations from the parent, but this merge must not send requests to
        // the parent. Pending deletions are therefore processed at the end of this context's next
        // event.
        if changes.unpropagated.isEmpty { try processPending() }
        postMerged(keys)
        checkInvariants()
    }

    private func mergeEach(_ keys: SavedKeys, _ rows: SentRows?) throws(CoreDataError) {
        let registry = try requireRegistry()
        try persistentStoreCoordinator?.faultPoints.reach(.merge)
        advanceGeneration()
        // Unsaved links to deleted objects are removed before the updates are merged. If a link is
        // then nil, as in the old row, it is not an unsaved change, and the newest row determines
        // its value.
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

    /// Registers an inserted object as a fault; the row is read when the object is used.
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
        // If the row is missing, the merge of the deletion or the next save detects it.
        guard let newest else { return }
        if mutant(.mergeDropsChanges) {
            for slot in object.layout.values.indices { object.dropChange(of: slot) }
        }
        object.rebase(taking: newest)
        assert(object.cells == newest, "the merged object does not have the newest row")
        object.awake(fromSnapshotEvents: .refresh)
    }

    /// A row with a retained reference to its block.
    private static func retained(_ row: RowReference) -> UnsafeRawPointer {
        _ = Unmanaged.passRetained(row.block)
        return row.cells
    }

    /// The newest row in the source; nil if it does not exist or cannot be read.
    ///
    /// A merge cannot report that the row is unreadable. An object without changes then becomes a
    /// fault, which is read on its next use; an object with changes keeps its row, so that its save
    /// is checked for conflicts.
    private func newestRow(orFault object: NSManagedObject) -> RowReference? {
        do throws(CoreDataError) {
            return try source.row(object.objectKey, notBefore: nil)?.row
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
