/// The new, changed and deleted objects of one context since the last save, and since pending
/// changes were last processed.
///
/// The lists hold their objects strongly. State bits of an object record the lists that it belongs
/// to, so no object is hashed. Clearing a bit removes the object from the list only at the next
/// clean-up. Until then the bit `listedAs…` shows that the object is still in the list. So it is
/// not added twice.
///
/// No list contains an object twice. Otherwise a save would write the row twice, the second time
/// with an outdated version. If no clean-up is pending, a list contains exactly the objects with
/// its bit.
///
/// The context and its objects use the tracker, on the context's queue. Every change touches these
/// properties, so exclusive access is not checked.
final class ChangeTracker {
    // Not private, because the invariant checks read these lists, and tests corrupt them on
    // purpose.
    @exclusivity(unchecked) var insertedList = ContiguousArray<NSManagedObject>()
    @exclusivity(unchecked) var updatedList = ContiguousArray<NSManagedObject>()
    @exclusivity(unchecked) var deletedList = ContiguousArray<NSManagedObject>()
    @exclusivity(unchecked) var hasStaleEntries = false

    /// Whether a merge has deleted objects since the last save. The tracker does not keep these
    /// objects alive.
    @exclusivity(unchecked) private(set) var hasMergedDeletions = false

    @exclusivity(unchecked) private(set) var event = EventChanges()
    @exclusivity(unchecked) private(set) var unpropagated: [NSManagedObject] = []
    /// Unchanged objects whose rows the next save checks for conflicts.
    private(set) var locked: [NSManagedObject] = []

    struct EventChanges {
        var inserted = ContiguousArray<NSManagedObject>()
        var updated = ContiguousArray<NSManagedObject>()
        var deleted = ContiguousArray<NSManagedObject>()
        var refreshed = ContiguousArray<NSManagedObject>()
        var invalidated = ContiguousArray<NSManagedObject>()
        var withdrawn = ContiguousArray<NSManagedObject>()
        /// Objects whose deletion was undone after observers had been notified of it.
        var restored = ContiguousArray<NSManagedObject>()
        /// Changed objects that have their saved values again: after an undo, or after the changes
        /// of a linked object were discarded.
        var reverted = ContiguousArray<NSManagedObject>()

        var isEmpty: Bool {
            inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
                && invalidated.isEmpty && withdrawn.isEmpty && restored.isEmpty && reverted.isEmpty
        }
    }

    var inserted: ContiguousArray<NSManagedObject> {
        cleanUp()
        return insertedList
    }

    /// Changed objects that are neither new nor deleted.
    var updated: ContiguousArray<NSManagedObject> {
        cleanUp()
        return updatedList
    }

    var deleted: ContiguousArray<NSManagedObject> {
        cleanUp()
        return deletedList
    }

    var hasChanges: Bool {
        cleanUp()
        return !insertedList.isEmpty || !updatedList.isEmpty || !deletedList.isEmpty
    }

    var needsProcessing: Bool { !event.isEmpty || !unpropagated.isEmpty }

    // MARK: Notes

    func noteInserted(_ object: NSManagedObject) {
        assert(object.registryReference != nil, "the new object is not registered")
        assert(!object.state.contains(.fault), "the new object is a fault")
        object.state.insert([.inserted, .eventInserted])
        list(object, as: .listedAsInserted, in: &insertedList)
        if object.state.contains(.updated) { hasStaleEntries = true }
        event.inserted.append(object)
        object.recorder?.noteInserted(object)
    }

    func noteUpdated(_ object: NSManagedObject) {
        if object.state.isDisjoint(with: [.inserted, .updated]) {
            assert(object.registryReference != nil, "the changed object is not registered")
            object.state.insert(.updated)
            list(object, as: .listedAsUpdated, in: &updatedList)
            // A deleted object is not listed as changed, even if it is changed after its deletion.
            if object.state.contains(.deleted) { hasStaleEntries = true }
        }
        if object.state.isDisjoint(with: [.eventInserted, .eventUpdated]) {
            object.state.insert(.eventUpdated)
            event.updated.append(object)
        }
    }

    func noteDeleted(_ object: NSManagedObject) {
        assert(object.registryReference != nil, "the deleted object is not registered")
        object.state.insert([.deleted, .eventDeleted])
        list(object, as: .listedAsDeleted, in: &deletedList)
        event.deleted.append(object)
        unpropagated.append(object)
        if object.state.contains(.updated) { hasStaleEntries = true }
        object.recorder?.noteDeleted(object)
    }

    /// Applies the delete rules of a deleted object again when pending changes are processed.
    func noteUnpropagated(_ object: NSManagedObject) {
        object.state.remove(.propagated)
        unpropagated.append(object)
    }

    func noteRestored(_ object: NSManagedObject) {
        // The clean-up first removes the object from the list of deleted objects. Otherwise the
        // object could be listed twice.
        noteCleared()
        cleanUp()
        let wasUpdated = object.state.contains(.updated)
        object.state.subtract([.deleted, .propagated, .deletedByMerge, .updated])
        unpropagated.removeAll { $0 === object }
        noteCleared()
        cleanUp()
        if wasUpdated { noteUpdated(object) }
        if !object.state.contains(.eventDeleted) { event.restored.append(object) }
    }

    /// Records that the insertion of a new object was undone. The object leaves the context.
    func noteWithdrawn(_ object: NSManagedObject) {
        assert(
            object.state.contains(.inserted), "the insertion of an object that is not new is undone"
        )
        object.state.subtract([.inserted, .deleted, .propagated])
        noteCleared()
        event.withdrawn.append(object)
    }

    func noteReverted(_ object: NSManagedObject) {
        assert(object.state.contains(.updated), "an unchanged object is restored")
        object.state.remove(.updated)
        noteCleared()
        if let pending = object.pending {
            for slot in pending.mask.slots { pending.clear(slot) }
        }
        event.reverted.append(object)
    }

    func noteRefreshed(_ object: NSManagedObject) {
        guard !object.state.contains(.eventRefreshed) else { return }
        object.state.insert(.eventRefreshed)
        event.refreshed.append(object)
    }

    func noteInvalidated(_ object: NSManagedObject) { event.invalidated.append(object) }

    func noteLocked(_ object: NSManagedObject) {
        guard !object.state.contains(.locked) else { return }
        object.state.insert(.locked)
        locked.append(object)
    }

    /// Records that another context inserted the object. Observers are notified, but this context
    /// does not save the object.
    func noteMergedInsert(_ object: NSManagedObject) {
        guard object.state.isDisjoint(with: [.eventInserted, .inserted]) else { return }
        object.state.insert(.eventInserted)
        event.inserted.append(object)
    }

    /// Records that a merge has deleted the object. The deletion is not a change of this context.
    ///
    /// - Parameter isPending: whether the object stays in the list of deleted objects until the
    ///   next save.
    func noteMergedDeletion(_ object: NSManagedObject, isPending: Bool = true) {
        object.state.insert([.deleted, .deletedByMerge, .propagated, .eventDeleted])
        if isPending {
            list(object, as: .listedAsDeleted, in: &deletedList)
        } else {
            hasMergedDeletions = true
        }
        event.deleted.append(object)
        hasStaleEntries = true
    }

    func noteSaved() { hasMergedDeletions = false }

    /// Records that code outside the tracker has changed the state bits of an object. The next
    /// clean-up corrects the lists. Call `cleanUp()` before such an object leaves the context.
    func noteCleared() { hasStaleEntries = true }

    // MARK: Processing

    func takeUnpropagated() -> [NSManagedObject] {
        defer { unpropagated = [] }
        return unpropagated
    }

    /// Ends the event, and returns the objects that it changed, with their event bits cleared.
    func takeEvent() -> EventChanges {
        let taken = event
        event = EventChanges()
        for list in [taken.inserted, taken.updated, taken.deleted, taken.refreshed] {
            list.eachUnretained { object in
                object.state.subtract(.event)
                object.pending?.endEvent()
            }
        }
        for object in taken.reverted where object.pending?.mask.isEmpty == true {
            object.dropPending()
        }
        return taken
    }

    /// Removes objects from the list of conflict checks if their `locked` bit was cleared.
    func dropReleasedLocks() { locked.removeAll { !$0.state.contains(.locked) } }

    /// Clears the change bits of an object. The next clean-up removes it from the lists.
    func drop(_ object: NSManagedObject) {
        object.state.subtract([.inserted, .updated, .deleted, .propagated])
        hasStaleEntries = true
    }

    func releaseLocks() {
        for object in locked { object.state.remove(.locked) }
        locked = []
    }

    func removeAll() {
        for list in [insertedList, updatedList, deletedList] {
            list.eachUnretained { $0.state.subtract(.changed.union(.listed)) }
        }
        insertedList = []
        updatedList = []
        deletedList = []
        unpropagated = []
        releaseLocks()
        hasStaleEntries = false
    }

    /// Removes the objects whose bit was cleared from the lists.
    func cleanUp() {
        guard hasStaleEntries else { return }
        hasStaleEntries = false
        insertedList.keep { Self.stays($0, as: .listedAsInserted, $0.state.contains(.inserted)) }
        updatedList.keep {
            Self.stays(
                $0, as: .listedAsUpdated,
                $0.state.contains(.updated) && $0.state.isDisjoint(with: [.inserted, .deleted]))
        }
        deletedList.keep { Self.stays($0, as: .listedAsDeleted, $0.state.contains(.deleted)) }
        assert(Self.isMarked(insertedList, .listedAsInserted))
        assert(Self.isMarked(updatedList, .listedAsUpdated))
        assert(Self.isMarked(deletedList, .listedAsDeleted))
    }

    private static func isMarked(
        _ list: ContiguousArray<NSManagedObject>, _ bit: ObjectState
    ) -> Bool {
        defer { list.eachUnretained { $0.state.insert(bit) } }
        for object in list {
            guard object.state.contains(bit) else { return false }
            object.state.remove(bit)
        }
        return true
    }

    @inline(__always)
    private func list(
        _ object: NSManagedObject, as bit: ObjectState,
        in list: inout ContiguousArray<NSManagedObject>
    ) {
        guard !object.state.contains(bit) else { return }
        assert(list.last !== object, "the list has an object whose bit is not set")
        object.state.insert(bit)
        list.append(object)
    }

    private static func stays(
        _ object: NSManagedObject, as bit: ObjectState, _ belongs: Bool
    ) -> Bool {
        if !belongs { object.state.remove(bit) }
        return belongs
    }
}
