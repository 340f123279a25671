import CoreDataModel
import CoreDataStore

/// The changes of one event, to be undone.
///
/// `UndoRecorder` registers a step with the undo manager, which runs it on the context's queue. The
/// changes are undone with the usual methods, so the recorder records them for redo.
struct UndoStep {
    let changes: [GraphChange]

    func takeBack(in context: NSManagedObjectContext) throws(CoreDataError) {
        try context.checkConfined("undo()")
        try context.processPending()
        try context.notifyingTogether { () throws(CoreDataError) in try takeBackEach(in: context) }
        try context.processPending()
    }

    private func takeBackEach(in context: NSManagedObjectContext) throws(CoreDataError) {
        var told = SnapshotEvents()
        // Deleted objects are inserted first, with their state at the end of the event. The next
        // loop then undoes the changes that were made after a deletion.
        for case .deleted(let object, let kept) in changes.reversed() where object.registry == nil {
            bringBack(object, kept, in: context, &told)
        }
        for change in changes.reversed() { try takeBack(change, in: context, &told) }
        context.changes.cleanUp()
        told.settle(in: context)
    }

    private func takeBack(
        _ change: GraphChange, in context: NSManagedObjectContext, _ told: inout SnapshotEvents
    ) throws(CoreDataError) {
        switch change {
        case .value(let object, let slot, let old):
            guard try isUsable(object, in: context) else { return }
            try object.setValue(old, at: slot)
            told.add(object, .undoUpdate)
        case .destination(let object, let slot, let old):
            guard try isUsable(object, in: context) else { return }
            object.restoreDestination(slot, old)
            told.add(object, .undoUpdate)
        case .added(let object, let slot, let member):
            guard try isUsable(object, in: context) else { return }
            object.removeMember(slot, member)
            told.add(object, .undoUpdate)
        case .removed(let object, let slot, let member):
            guard try isUsable(object, in: context) else { return }
            object.addMember(slot, member)
            told.add(object, .undoUpdate)
        case .reordered(let object, let slot, let old):
            guard try isUsable(object, in: context) else { return }
            try object.restoreOrder(slot, old)
            told.add(object, .undoUpdate)
        case .inserted(let object): try withdraw(object, in: context)
        case .deleted(let object, let kept): bringBack(object, kept, in: context, &told)
        case .restored(let object):
            guard object.registry === context.registry, !object.state.contains(.deleted) else {
                return
            }
            context.changes.noteDeleted(object)
        }
    }

    /// Whether the object can be changed. False if the context no longer contains it, for example
    /// because a merge has deleted it.
    private func isUsable(
        _ object: NSManagedObject, in context: NSManagedObjectContext
    ) throws(CoreDataError) -> Bool {
        guard object.registry === context.registry, !object.state.contains(.deletedByMerge) else {
            return false
        }
        return try object.isReadable()
    }

    // MARK: Inserted and deleted objects

    /// Removes a new object from the context, or deletes it if it was saved meanwhile.
    private func withdraw(
        _ object: NSManagedObject, in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        guard try isUsable(object, in: context), !object.state.contains(.deleted) else { return }
        object.removeLinks()
        guard object.state.contains(.inserted) else {
            context.changes.noteDeleted(object)
            return
        }
        let kept = DeletedValues(of: object)
        kept.keep(object)
        context.undoRecorder?.noteWithdrawn(object, kept)
        context.changes.noteWithdrawn(object)
        context.registry.dismiss(object)
    }

    /// Undoes a deletion that was not saved. If the object has left the context, inserts it again:
    /// under its old id, or under a new temporary id if its row was deleted.
    private func bringBack(
        _ object: NSManagedObject, _ kept: DeletedValues, in context: NSManagedObjectContext,
        _ told: inout SnapshotEvents
    ) {
        if object.registry === context.registry {
            guard object.state.contains(.deleted), !object.state.contains(.deletedByMerge) else {
                return
            }
            context.changes.noteRestored(object)
            context.undoRecorder?.noteRestored(object)
            told.add(object, .undoDeletion)
            return
        }
        guard object.registry == nil, kept.restore(object) else { return }
        let hadRow = object.key >= 0 && !kept.isUnsaved
        if hadRow || context.registry.registered(object.objectKey) != nil {
            object.key = TemporaryKeys.next()
        }
        object.identifier = nil
        let isObserved = object.state.intersection(.observed)
        object.state = isObserved.union(context.registry.objectState).union(.pending)
        context.registry.register(object)
        context.changes.cleanUp()
        context.changes.noteInserted(object)
        if context.retainsRegisteredObjects { context.retain(object) }
        told.add(object, changes.contains(insertionOf: object) ? .undoInsertion : .undoDeletion)
    }
}

extension [GraphChange] {
    /// Whether the event also inserted the object, so that bringing it back undoes its insertion.
    fileprivate func contains(insertionOf object: NSManagedObject) -> Bool {
        contains {
            if case .inserted(let inserted) = $0 { return inserted === object }
            return false
        }
    }
}

/// The objects that an undo step has changed, with the kinds of their changes.
private struct SnapshotEvents {
    private var objects: [NSManagedObject] = []
    private var flags: [ObjectIdentifier: NSSnapshotEventType] = [:]

    mutating func add(_ object: NSManagedObject, _ event: NSSnapshotEventType) {
        if flags[ObjectIdentifier(object)] == nil { objects.append(object) }
        flags[ObjectIdentifier(object), default: []].insert(event)
    }

    /// Marks objects that equal their saved state as unchanged. Also removes links to missing
    /// objects, and calls `awake(fromSnapshotEvents:)`.
    func settle(in context: NSManagedObjectContext) {
        let present = objects.filter {
            $0.registry === context.registry && !$0.state.contains(.deleted)
        }
        for object in present {
            object.dropDeadLinks()
            if object.isAsSaved { context.changes.noteReverted(object) }
        }
        for object in present {
            object.awake(fromSnapshotEvents: flags[ObjectIdentifier(object)] ?? .undoUpdate)
        }
    }
}
