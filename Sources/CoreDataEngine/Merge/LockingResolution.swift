import CoreDataModel
import CoreDataTrace

/// What the built-in policies do about an object whose row is newer than it knew.
///
/// With B the values the object was read with, O its own and S the newest row, a property is
/// "changed by the object" when O≠B and "changed by the store" when S≠B; the table is in
/// `semantics`, and in Apple's header NSMergePolicy.h.
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
        assert(object.cells == current.cells, "the next attempt is checked against the newest row")
        for slot in changedByStore { object.unloadInverse(of: slot) }
    }

    private func slots(of object: NSManagedObject, whereRowDiffers row: RowReference) -> [Int] {
        object.layout.values.indices.filter { slot in
            let kind = object.layout.values[slot].kind
            return RowFormat.value(row.cells, slot: slot, kind: kind)
                != object.committedValue(at: slot)
        }
    }

    /// The object's own values are not written any more. Members that came or went belong to the
    /// other objects' changes and stay.
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

    /// The row is gone. Overwriting brings it back, all others let the deletion win.
    private func resolveDeletedRow(_ object: NSManagedObject, in context: NSManagedObjectContext) {
        if object.state.contains(.deleted) { return }
        if type == .overwriteMergePolicyType, !mutant(.overwriteLetsDeletionsWin) {
            for slot in object.layout.values.indices { object.keepValue(of: slot) }
            object.state.insert(.resurrected)
            object.state.remove(.locked)
            return
        }
        object.letGoOfUnsavedLinks()
        object.restoreCommitted()
        object.state.subtract([.updated, .locked])
        context.changes.noteCleared()
        context.changes.dropReleasedLocks()
        context.changes.noteMergedDeletion(object)
    }

    /// This context deleted a row that another changed.
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

extension NSManagedObject {
    /// The slot takes the row's value.
    final func dropChange(of slot: Int) {
        guard let pending, pending.isSet(slot) else { return }
        guard layout.values[slot].toOne != nil else {
            pending.clear(slot)
            return
        }
        let dropped = destination(at: slot)
        pending.clear(slot)
        forgetDestination(slot)
        for other in [dropped, destination(at: slot)] { other?.forgetPartner(self, of: slot) }
    }

    /// The partner's slot has been put back, and so is this side of the link.
    private func forgetPartner(_ partner: NSManagedObject, of slot: Int) {
        switch partner.layout.values[slot].toOne?.inverse ?? .none {
        case .none: return
        case .toMany(let inverse): relationships?.members(inverse)?.forget(partner)
        case .value(let inverse):
            guard let pending, pending.isSet(inverse) else { return }
            // What leads elsewhere by now is another change.
            if let now = destination(at: inverse), now !== partner { return }
            guard isAlone(committedValue(at: inverse), partner) else {
                replaceDestination(inverse, with: nil)
                return
            }
            pending.clear(inverse)
            forgetDestination(inverse)
        }
    }

    /// Whether a value leads nowhere else than to the object.
    private func isAlone(_ value: Value, _ object: NSManagedObject) -> Bool {
        guard case .reference(let key) = value else { return true }
        return key == object.objectKey
    }

    /// The destination's members are read anew when they are next asked for.
    final func unloadInverse(of slot: Int) {
        guard let relationship = layout.values[slot].toOne,
            case .toMany(let inverse) = relationship.inverse,
            let other = destination(at: slot)
        else { return }
        other.relationships?.members(inverse)?.unload()
    }

    /// The object's row is gone: what this context linked to it since is linked no more.
    final func letGoOfUnsavedLinks() {
        guard knowsRelationships else { return }
        for slot in layout.values.indices { dropChange(of: slot) }
        guard let relationships else { return }
        for slot in relationships.changedToManySlots {
            for member in relationships.members(slot)?.added.array ?? [] {
                switch layout.toMany[slot].inverse {
                case .none: continue
                case .value(let inverse):
                    if member.destination(at: inverse) === self {
                        member.replaceDestination(inverse, with: nil)
                    }
                case .toMany(let inverse): member.removeMember(inverse, self)
                }
            }
        }
    }

    /// The slot keeps its present value whatever row comes under it.
    final func keepValue(of slot: Int) {
        if layout.values[slot].isTransient || pending?.isSet(slot) == true { return }
        if layout.values[slot].toOne != nil { _ = destination(at: slot) }
        storePending(currentValue(at: slot), at: slot)
    }
}

extension NSMergePolicyType {
    /// The policy's name in traces.
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
