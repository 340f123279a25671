import CoreDataModel
import CoreDataStore

/// Links of an object that outlast the loss of its unsaved changes, because they are unsaved
/// changes of other objects as well.
///
/// Whose row has a link decides. A one-to-many link is in the row of the one that has the to-one
/// side, and goes and stays with that object's changes, at both ends. Of a one-to-one link each
/// row says it, and a many-to-many link belongs to both ends; so each stays while the other end
/// has it. Without that the two ends would be saved with different answers.
struct SharedLinks {
    fileprivate var destinations: [(slot: Int, object: NSManagedObject?)] = []
    fileprivate var members: [(slot: Int, members: ToManyMembers)] = []

    var isEmpty: Bool { destinations.isEmpty && members.isEmpty }
}

extension NSManagedObject {
    /// Takes back, at the other end too, what this object alone has linked and unlinked; gives what
    /// other objects have changed as well. The object's own values stay as they are.
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

    /// Puts shared links over the row that the object has by now.
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

    /// The link of a one-to-one slot that the partner's unsaved changes have made or cut.
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
            // Of a link to itself the row has both ends, and one of them is another's by now.
            let other = destination(at: inverse)
            let isTaken = other.map { $0 !== self && $0.pending?.isSet(slot) == true } ?? false
            return isTaken && now !== self ? (slot, nil) : nil
        }
        let isElsewhere =
            before.isGone
            || before.pending?.isSet(inverse) == true && before.destination(at: inverse) !== self
        return isElsewhere ? (slot, nil) : nil
    }

    /// Takes back the change of a to-one slot whose other side is to-many.
    ///
    /// - Returns: whether the slot cannot lead back, because that object has been deleted here.
    private func withdrawDestination(_ slot: Int) -> Bool {
        let before = committedDestination(slot)
        let ends = [destination(at: slot), before]
        dropChange(of: slot)
        for case let end? in ends where end !== self { end.noteLinkWithdrawn() }
        return before?.isGone == true
    }

    /// The object that the row names, if the context knows it; one it does not know has no
    /// unsaved changes.
    private func committedDestination(_ slot: Int) -> NSManagedObject? {
        guard case .reference(let key) = committedValue(at: slot) else { return nil }
        return registry?.registered(key)
    }

    /// Whether a member's own unsaved changes say that it came or went.
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

    /// Whether the object is deleted and its relationships have been dealt with.
    private var isGone: Bool { state.isSuperset(of: [.deleted, .propagated]) }

    /// Without that link the object may be as it was saved.
    private func noteLinkWithdrawn() {
        guard isUpdated, pending?.mask.isEmpty ?? true,
            relationships?.changedToManySlots.isEmpty ?? true
        else { return }
        registry?.context?.changes.noteReverted(self)
    }
}
