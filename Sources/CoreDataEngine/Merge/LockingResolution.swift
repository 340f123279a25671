import CoreDataModel
import CoreDataStore
import CoreDataTrace

/// Resolves conflicts of objects whose rows have newer versions, for the built-in policies.
///
/// The policies compare three values of each property: B, with which the object was read; O, the
/// object's present value; and S, the value of the newest row. The object has changed a property if
/// O≠B, and the store has changed it if S≠B. Apple's header NSMergePolicy.h has the table.
struct LockingResolution {
    let type: NSMergePolicyType

    func resolve(_ conflict: NSMergeConflict) {
        let object = conflict.sourceObject
        guard let context = object.managedObjectContext else { return }
        if context.trace.isOn {
            context.trace.record(
                .conflict(
                    context: context.name ?? "", kind: "locking", object: object.objectName,
                    policy: type.label))
        }
        guard let current = conflict.current else {
            resolveDeletedRow(object, in: context)
            return
        }
        if object.state.contains(.deleted) {
            resolveDeletion(object, current, in: context)
        } else {
            resolveChange(object, current, in: context)
        }
        object.awake(fromSnapshotEvents: .mergePolicy)
    }

    // MARK: Both sides changed the row

    private func resolveChange(
        _ object: NSManagedObject, _ current: RowReference, in context: NSManagedObjectContext
    ) {
        let changedByStore = slots(of: object, whereRowDiffers: current)
        for slot in changedByStore { object.unloadInverse(of: slot) }
        switch type {
        case .mergeByPropertyObjectTrumpMergePolicyType:
            if mutant(.objectTrumpOverwrites) {
                for slot in changedByStore { object.keepValue(of: slot) }
            }
            object.rebase(onto: current, keepsEqualValues: mutant(.objectTrumpOverwrites))
        case .mergeByPropertyStoreTrumpMergePolicyType:
            for slot in changedByStore where !mutant(.storeTrumpKeepsChanges) {
                object.dropChange(of: slot)
            }
            object.rebase(onto: current)
        case .overwriteMergePolicyType:
            for slot in changedByStore where !mutant(.overwriteMerges) {
                object.keepValue(of: slot)
            }
            object.rebase(onto: current, keepsEqualValues: true)
        default:
            if !mutant(.rollbackKeepsChanges) { discard(object, in: context) }
            object.rebase(onto: current)
        }
        assert(object.cells == current.cells, "the object does not have the newest row")
        for slot in changedByStore { object.unloadInverse(of: slot) }
    }

    private func slots(of object: NSManagedObject, whereRowDiffers row: RowReference) -> [Int] {
        object.layoutReference._withUnsafeGuaranteedRef { layout in
            layout.values.indices.filter { slot in
                let kind = layout.values[slot].kind
                if let cells = object.cells, RowFormat.areSame(cells, row.cells, slot, kind) {
                    return false
                }
                return RowFormat.value(row.cells, slot: slot, kind: kind)
                    != object.committedValue(at: slot)
            }
        }
    }

    /// Drops the object's changed values. Added and removed members of to-many relationships
    /// remain, because they are also changes of the members.
    private func discard(_ object: NSManagedObject, in context: NSManagedObjectContext) {
        for slot in object.layout.values.indices { object.dropChange(of: slot) }
        object.state.remove(.locked)
        if object.relationships?.changedToManySlots.isEmpty ?? true {
            object.state.remove(.updated)
        }
        context.changes.noteCleared()
        context.changes.dropReleasedLocks()
    }

    // MARK: One side deleted the row

    /// Handles a changed object whose row was deleted. The overwrite policy restores the row; all
    /// other policies keep the deletion.
    private func resolveDeletedRow(_ object: NSManagedObject, in context: NSManagedObjectContext) {
        if object.state.contains(.deleted) { return }
        if type == .overwriteMergePolicyType, !mutant(.overwriteLetsDeletionsWin) {
            for slot in object.layout.values.indices { object.keepValue(of: slot) }
            object.state.insert(.resurrected)
            object.state.remove(.locked)
            return
        }
        object.removeUnsavedLinks()
        object.restoreCommitted()
        object.state.subtract([.updated, .locked])
        context.changes.noteCleared()
        context.changes.dropReleasedLocks()
        context.changes.noteMergedDeletion(object)
    }

    /// Handles a deleted object whose row another context has changed.
    private func resolveDeletion(
        _ object: NSManagedObject, _ current: RowReference, in context: NSManagedObjectContext
    ) {
        let isKept =
            type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
        if !isKept || mutant(.updateBeatsDeletion) {
            object.state.subtract([.deleted, .propagated, .updated])
            object.restoreCommitted()
            context.changes.noteCleared()
            context.changes.noteRefreshed(object)
        }
        object.attach(current)
    }
}

extension NSMergePolicyType {
    var label: String {
        switch self {
        case .errorMergePolicyType: "error"
        case .mergeByPropertyStoreTrumpMergePolicyType: "storeTrump"
        case .mergeByPropertyObjectTrumpMergePolicyType: "objectTrump"
        case .overwriteMergePolicyType: "overwrite"
        case .rollbackMergePolicyType: "rollback"
        }
    }
}
