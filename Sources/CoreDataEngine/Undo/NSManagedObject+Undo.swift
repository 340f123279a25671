import CoreDataModel
import CoreDataStore

/// Undoes changes of one object.
extension NSManagedObject {
    @inline(__always)
    final var recorder: UndoRecorder? {
        registryReference?._withUnsafeGuaranteedRef { $0.undoRecorder } ?? nil
    }

    final var isAsSaved: Bool {
        guard state.contains(.updated), !state.contains(.inserted), cells != nil else {
            return false
        }
        guard relationships?.changedToManySlots.isEmpty ?? true else { return false }
        guard SavePlanBuilder.changedSlots(of: self).isEmpty else { return false }
        return !layout.hasTransientValues
            || (pending?.mask.slots ?? []).allSatisfy {
                !layout.values[$0].isTransient
            }
    }

    /// Restores a to-one destination. A merge or a merge policy may have set the present
    /// destination without a record for undo. So this object is also removed from that destination.
    final func restoreDestination(_ slot: Int, _ old: NSManagedObject?) {
        let target = layout.target(ofToOne: slot)
        let current = destination(at: slot)
        guard let target, let current, current !== old else {
            return replaceDestination(slot, with: old)
        }
        // Undo restores the order of an ordered inverse, so the order before the change is
        // recorded.
        if case .toMany(let inverse) = target.inverse { recorder?.noteOrder(current, inverse) }
        replaceDestination(slot, with: old)
        current.removeLink(of: self, target.inverse)
    }

    /// Restores the order of members. Members that are not in the old order follow the others.
    final func restoreOrder(
        _ slot: Int, _ old: [NSManagedObject]
    ) throws(CoreDataError) {
        let storage = try loadedMembers(slot)
        recorder?.noteOrder(self, slot)
        let wanted = ObjectList(old)
        let known = old.filter { storage.members.contains($0) }
        let order = Array(known + storage.members.array.filter { !wanted.contains($0) })
        if storage.members.elementsEqual(order) { return noteChanged() }
        noticing(values: [], toMany: [slot]) {
            storage.setOrder(order)
            noteChanged()
        }
    }

    final func removeLinks() {
        for slot in layout.values.indices {
            guard let relationship = layout.values[slot].toOne,
                let other = destination(at: slot)
            else { continue }
            replaceDestination(slot, with: nil)
            other.removeLink(of: self, relationship.inverse)
        }
        for slot in layout.toMany.indices {
            guard let members = try? loadedMembers(slot).members.array else { continue }
            for member in members {
                removeMember(slot, member)
                member.removeLink(of: self, layout.toMany[slot].inverse)
            }
        }
    }

    private func removeLink(of other: NSManagedObject, _ inverse: InverseSlot) {
        guard registry != nil, (try? prepareAccess()) != nil, !state.contains(.inaccessible) else {
            return
        }
        switch inverse {
        case .none: return
        case .value(let slot):
            if destination(at: slot) === other { replaceDestination(slot, with: nil) }
        case .toMany(let slot):
            if mayHave(other, in: slot) { removeMember(slot, other) }
        }
    }

    /// Whether the object may be a member. Does not read the members. If they are not loaded, the
    /// row of the given object decides.
    private func mayHave(_ object: NSManagedObject, in slot: Int) -> Bool {
        if let known = relationships?.members(slot) {
            if known.isLoaded { return known.members.contains(object) }
            if known.added.contains(object) { return true }
            if known.removed.contains(object) { return false }
        }
        guard case .value(let inverse) = layout.toMany[slot].inverse else { return object.key > 0 }
        return object.committedValue(at: inverse) == .reference(objectKey)
    }

    /// Removes destinations that have left the context. Stores the other destinations under their
    /// current keys.
    final func dropDeadLinks() {
        for slot in layout.values.indices where layout.isToOne(slot) {
            guard pending?.isSet(slot) == true, let other = knownDestination(slot) else {
                continue
            }
            if other.registry === registry {
                storePending(.reference(other.objectKey), at: slot)
            } else {
                replaceDestination(slot, with: nil)
            }
        }
        guard let relationships else { return }
        for slot in layout.toMany.indices {
            for member in relationships.members(slot)?.added.array ?? []
            where member.registry !== registry {
                removeMember(slot, member)
            }
        }
    }
}
