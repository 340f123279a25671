import CoreDataModel
import CoreDataStore

/// The links that an object keeps when its unsaved changes are discarded, because they are also
/// unsaved changes of other objects.
///
/// The rows that store a link decide:
///
/// - A one-to-many link is stored only in the row of its to-one side. Discarding the changes of
///   that side removes the link at both ends.
/// - Both rows store a one-to-one link, and a many-to-many link belongs to both ends. The object
///   keeps such a link while the other end has it. Otherwise a save would write different values
///   for the two ends.
struct SharedLinks {
    fileprivate var destinations: [(slot: Int, object: NSManagedObject?)] = []
    fileprivate var members: [(slot: Int, members: ToManyMembers)] = []

    var isEmpty: Bool { destinations.isEmpty && members.isEmpty }
}

extension NSManagedObject {
    /// Reverts, at both ends, the links that only this object has changed. Returns the links that
    /// other objects have changed, too. Does not change attributes.
    final func withdrawOwnLinks() -> SharedLinks {
        var shared = SharedLinks()
        for slot in pending?.mask.slots ?? [] {
            guard let target = layout.values[slot].toOne else { continue }
            switch target.inverse {
            case .none: continue
            case .value(let inverse):
                if let link = sharedPartner(slot, inverse) { shared.destinations.append(link) }
            case .toMany:
                if withdrawDestination(slot) { shared.destinations.append((slot, nil)) }
            }
        }
        for slot in relationships?.changedToManySlots ?? [] {
            guard let members = relationships?.members(slot) else { continue }
            let inverse = layout.toMany[slot].inverse
            members.keepLinks { isShared($0, inverse, isAdded: $1) }
            if members.hasChanges { shared.members.append((slot, members)) }
        }
        return shared
    }

    /// Sets the links again after the object's unsaved changes were discarded.
    final func restore(_ shared: SharedLinks) {
        for (slot, object) in shared.destinations {
            storePending(object.map { .reference($0.objectKey) } ?? .null, at: slot)
            setKnownDestination(slot, object)
        }
        for (slot, members) in shared.members {
            let storage = ensureRelationships()
            _ = storage.makeMembers(slot, of: layout)
            storage.setMembers(slot, members)
        }
        noteChanged()
    }

    /// The value of a one-to-one slot, if unsaved changes of another object have created or removed
    /// its link; otherwise nil.
    private func sharedPartner(
        _ slot: Int, _ inverse: Int
    ) -> (slot: Int, object: NSManagedObject?)? {
        let now = destination(at: slot)
        let before = committedDestination(slot)
        if let now, now !== self, now !== before, now.pending?.isSet(inverse) == true,
            now.destination(at: inverse) === self
        {
            return (slot, now)
        }
        guard let before else { return nil }
        if before === self {
            // The object was linked to itself, so its row contains both ends of the link. Another
            // object may have taken one of them.
            let other = destination(at: inverse)
            let isTaken = other.map { $0 !== self && $0.pending?.isSet(slot) == true } ?? false
            return isTaken && now !== self ? (slot, nil) : nil
        }
        let isElsewhere =
            before.isGone
            || before.pending?.isSet(inverse) == true && before.destination(at: inverse) !== self
        return isElsewhere ? (slot, nil) : nil
    }

    /// Reverts the change of a to-one slot whose other side is to-many.
    ///
    /// - Returns: true if the destination cannot be restored, because this context has deleted it.
    private func withdrawDestination(_ slot: Int) -> Bool {
        let before = committedDestination(slot)
        let ends = [destination(at: slot), before]
        dropChange(of: slot)
        for case let end? in ends where end !== self { end.noteLinkWithdrawn() }
        return before?.isGone == true
    }

    /// The destination in the row, if the context has registered it. An object that is not
    /// registered has no unsaved changes.
    private func committedDestination(_ slot: Int) -> NSManagedObject? {
        guard case .reference(let key) = committedValue(at: slot) else { return nil }
        return registry?.registered(key)
    }

    /// Whether the addition or removal of a member is also an unsaved change of that member.
    private func isShared(
        _ member: NSManagedObject, _ inverse: InverseSlot, isAdded: Bool
    ) -> Bool {
        if member === self { return false }
        if member.isGone { return !isAdded }
        switch inverse {
        case .none: return false
        case .value(let slot):
            return member.pending?.isSet(slot) == true
                && (member.destination(at: slot) === self) == isAdded
        case .toMany(let slot):
            guard let links = member.relationships?.members(slot) else { return false }
            return (isAdded ? links.added : links.removed).contains(self)
        }
    }

    private var isGone: Bool { state.isSuperset(of: [.deleted, .propagated]) }

    /// Marks the object as unchanged if the reverted link was its only change.
    private func noteLinkWithdrawn() {
        guard isUpdated, pending?.mask.isEmpty ?? true,
            relationships?.changedToManySlots.isEmpty ?? true
        else { return }
        registry?.context?.changes.noteReverted(self)
    }
}
