import CoreDataModel
import CoreDataStore
import Foundation

/// Invalidates a context's objects when a store leaves its coordinator.
extension NSManagedObjectContext: CoordinatorObserver {
    package final var weakObserver: any WeakObserver { weakReference }

    /// Makes the saved objects of a removed store unusable: immediately if the calling thread is on
    /// the context's queue, otherwise when the queue runs its next block.
    package final func noteRemoved(_ store: NSPersistentStore) {
        if queue.isCurrent { return invalidateObjects(of: store) }
        queue.enqueue("store removed") { [weak self] in self?.invalidateObjects(of: store) }
    }

    /// Invalidates the objects of children first, because they depend on those of this context.
    private func invalidateObjects(of store: NSPersistentStore) {
        for child in children.alive { child.noteRemoved(store) }
        // If another store has the entity, its objects remain valid.
        let isShared = store.entityIndexes.contains {
            !source.stores(of: registry.layout(at: $0)).isEmpty
        }
        let tag = store.tag
        let lost = registry.all.filter {
            $0.key > 0 && store.entityIndexes.contains($0.layout.index)
                && (!isShared || StoreTag(of: $0.key) == tag)
        }
        guard !lost.isEmpty else { return }
        // Earlier changes are processed and posted first. Errors are ignored, because a delete rule
        // may need the removed store.
        try? processPending()
        undoRecorder?.discard()
        undoManager?.removeAllActions(withTarget: self)
        for object in lost {
            changes.drop(object)
            // The id is created from the store, which the coordinator no longer knows.
            object.identifier = NSManagedObjectID(
                key: object.objectKey, entity: object.entity, layout: object.layout, store: store)
            registry.unregister(object)
            object.invalidate()
        }
        changes.dropReleasedLocks()
        NotificationOnDemand.objectsDidChange.post(
            from: self, [NSInvalidatedObjectsKey: Set(lost)])
    }
}
