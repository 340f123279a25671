import CoreDataModel
import CoreDataStore

/// Drops or keeps changed values of an object. Merge policies call these methods.
extension NSManagedObject {
    /// Drops the unsaved value of the slot. The slot then has the value of the row.
    final func dropChange(of slot: Int) {
        guard let pending, pending.isSet(slot) else { return }
        noticingRestore([slot]) { takeRowValue(of: slot, over: pending) }
    }

    private func takeRowValue(of slot: Int, over pending: PendingValues) {
        guard layout.values[slot].toOne != nil else {
            pending.clear(slot)
            return
        }
        let dropped = destination(at: slot)
        pending.clear(slot)
        forgetDestination(slot)
        for other in [dropped, destination(at: slot)] { other?.forgetPartner(self, of: slot) }
    }

    /// Restores this end of a link after the to-one slot at the other end was restored.
    private func forgetPartner(_ partner: NSManagedObject, of slot: Int) {
        switch partner.layout.values[slot].toOne?.inverse ?? .none {
        case .none: return
        case .toMany(let inverse):
            guard let members = relationships?.members(inverse) else { return }
            noticing(values: [], toMany: [inverse]) { members.forget(partner) }
        case .value(let inverse):
            guard let pending, pending.isSet(inverse) else { return }
            // A link to another object is a separate change and remains.
            if let now = destination(at: inverse), now !== partner { return }
            guard isAlone(committedValue(at: inverse), partner) else {
                replaceDestination(inverse, with: nil)
                return
            }
            noticingRestore([inverse]) {
                pending.clear(inverse)
                forgetDestination(inverse)
            }
        }
    }

    private func isAlone(_ value: Value, _ object: NSManagedObject) -> Bool {
        guard case .reference(let key) = value else { return true }
        return key == object.objectKey
    }

    /// Unloads the members at the other end of a to-one slot, so that the next access reads them
    /// again.
    final func unloadInverse(of slot: Int) {
        guard let relationship = layout.values[slot].toOne,
            case .toMany(let inverse) = relationship.inverse,
            let other = destination(at: slot)
        else { return }
        other.relationships?.members(inverse)?.unload()
    }

    /// Removes the unsaved links between the object and other objects, after its row was deleted.
    final func removeUnsavedLinks() {
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

    /// Records the current value of the slot as an unsaved change. The slot then keeps the value
    /// when the row is replaced.
    final func keepValue(of slot: Int) {
        if layout.values[slot].isTransient || pending?.isSet(slot) == true { return }
        if layout.values[slot].toOne != nil { _ = destination(at: slot) }
        storePending(currentValue(at: slot), at: slot)
    }
}
