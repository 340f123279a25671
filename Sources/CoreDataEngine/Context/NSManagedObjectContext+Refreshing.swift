import CoreDataModel
import CoreDataStore
import Foundation

/// Refreshes objects, and rolls back and resets contexts.
extension NSManagedObjectContext {

    package final func refreshAll() throws(CoreDataError) {
        try checkConfined("refreshAllObjects()")
        let all = try requireRegistry().all
        emit(.refreshedAll)
        try unheard { () throws(CoreDataError) in
            try notifyingTogether { () throws(CoreDataError) in
                for object in all {
                    try refreshObject(
                        object, mergeChanges: !object.state.isDisjoint(with: .changed))
                }
            }
            try processPending()
        }
    }

    /// Handles an error that occurred while a row was read, and then repeats the refresh.
    @inline(never)
    final func refreshOn(
        after error: CoreDataError, _ object: NSManagedObject, mergeChanges: Bool
    ) {
        object.readingOn(after: error, nil) { () throws(CoreDataError) in
            try refreshObject(object, mergeChanges: mergeChanges)
        }
    }

    package final func refreshObject(
        _ object: NSManagedObject, mergeChanges: Bool
    ) throws(CoreDataError) {
        if knownRegistry == nil { _ = try requireRegistry() }
        guard has(object), !object.state.contains(.deleted) else { return }
        changes.noteRefreshed(object)
        notifyWatcher(.refreshing(object))
        defer { notifyWatcher(.refreshed(object, keepsChanges: mergeChanges)) }
        object.relationships?.fetched = [:]
        if !mergeChanges || object.state.isDisjoint(with: .changed) {
            if try noticeQueue() == nil { return try discardChanges(of: object) }
            return try notifyingTogether { () throws(CoreDataError) in
                try discardChanges(of: object)
            }
        }
        if object.state.contains(.inserted) || mutant(.refreshKeepsOldRows) { return }
        try notifyingTogether { () throws(CoreDataError) in try rebase(object) }
        object.awake(fromSnapshotEvents: .refresh)
    }

    final func rebase(_ object: NSManagedObject) throws(CoreDataError) {
        try object.prepareAccess()
        if object.state.contains(.inaccessible) { return }
        guard let found = try newestRow(of: object.objectKey, notBefore: oldestAcceptable) else {
            try faultIsInaccessible(object, slot: nil)
            return
        }
        object.rebase(onto: found.row)
    }

    /// Turns the object into a fault and drops its changes.
    ///
    /// Unsaved changes of other objects may link to the object. It is then read again, and keeps
    /// only these links as changes. It cannot be a fault, because a save compares each changed
    /// object with its row.
    private func discardChanges(of object: NSManagedObject) throws(CoreDataError) {
        if object.state.isSuperset(of: [.fault, .updated]) { try readIfThere(object) }
        let shared = object.turnIntoFault()
        object.state.remove(.updated)
        changes.noteCleared()
        if parent != nil { object.take(nil) }
        if shared.isEmpty { return }
        try readIfThere(object)
        if !object.state.contains(.fault), !object.state.contains(.inaccessible) {
            object.restore(shared)
        }
    }

    /// Reads the row if it exists. A missing row is reported when the object is used or saved.
    private func readIfThere(_ object: NSManagedObject) throws(CoreDataError) {
        _ = try object.isReadable()
    }

    package final func rollbackChanges() throws(CoreDataError) {
        try checkConfined("rollback()")
        emit(.rolledBack)
        notifyWatcher(.dropped(forgetsObjects: false))
        dropUndoActions()
        guard changes.hasChanges || changes.needsProcessing else { return }
        if mutant(.rollbackKeepsObjects) { return }
        let inserted = changes.inserted
        let others = changes.updated + changes.deleted
        _ = changes.takeEvent()
        changes.removeAll()
        try notifyingTogether { () throws(CoreDataError) in rollBack(inserted, others) }
        try processPending()
    }

    private func rollBack(
        _ inserted: ContiguousArray<NSManagedObject>, _ others: ContiguousArray<NSManagedObject>
    ) {
        for object in inserted {
            object.state.remove(.propagated)
            changes.noteInvalidated(object)
            registry.dismiss(object)
        }
        for object in others where object.registry != nil {
            if object.state.contains(.deletedByMerge) {
                // The row does not exist, so the deletion in this context has no effect.
                object.state.subtract([.propagated, .deletedByMerge])
                registry.dismiss(object)
                continue
            }
            object.state.remove(.propagated)
            object.restoreCommitted()
            // The object's only change was its deletion, which is undone now. The next access looks
            // for the missing row again.
            if object.state.contains(.inaccessible) { _ = object.turnIntoFault() }
            changes.noteRefreshed(object)
            object.awake(fromSnapshotEvents: .rollback)
        }
    }

    package final func resetContext() throws(CoreDataError) {
        try checkConfined("reset()")
        let registry = try requireRegistry()
        emit(.wasReset)
        notifyWatcher(.dropped(forgetsObjects: true))
        undoRecorder?.discard()
        undoManager?.removeAllActions(withTarget: self)
        let all = registry.all
        let isMentioned = NotificationOnDemand.objectsDidChange.isMentioned
        let ids = isMentioned ? all.map(\.objectID) : []
        _ = changes.takeEvent()
        changes.removeAll()
        assignedStores.removeAll()
        releaseRetained()
        registry.removeAll()
        var origins = NotificationInfo.Origins()
        let binding = registry.binding
        ContiguousArray(all).eachUnretained { object in
            origins.keep(in: object)
            object.forgetContext(by: binding)
        }
        advanceGeneration()
        NotificationOnDemand.objectsDidChange.post(from: self, [NSInvalidatedAllObjectsKey: ids])
    }
}
