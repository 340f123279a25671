/// The new, changed and deleted objects of one context since the last save, and since pending
/// changes were last processed.
///
/// The lists hold their objects strongly. A bit of the object's state records whether the object is
/// in a list, so no object is ever hashed. If the bit is cleared, the object is removed from the
/// list at the next clean-up. If the bit is set again before the clean-up, the object is still in
/// the list, which its `listedAs…` bit shows. No list contains an object twice, because a save
/// would then write the object's row twice, the second time against an outdated version. Unless a
/// clean-up is pending, a list contains exactly the objects that have its bit. Exclusive access is
/// not checked, because every change touches these properties. The context and its objects call the
/// tracker, on the context's queue.
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

    /// The objects that the current event has changed.
    @exclusivity(unchecked) private(set) var event = EventChanges()
    /// Deleted objects whose relationships have not been processed.
    @exclusivity(unchecked) private(set) var unpropagated: [NSManagedObject] = []
    /// Unchanged objects that take part in conflict detection.
    private(set) var locked: [NSManagedObject] = []

    struct EventChanges {
        var inserted = ContiguousArray<NSManagedObject>()
        var updated = ContiguousArray<NSManagedObject>()
        var deleted = ContiguousArray<NSManagedObject>()
        var refreshed = ContiguousArray<NSManagedObject>()
        var invalidated = ContiguousArray<NSManagedObject>()
        /// New objects whose insertion the undo manager has undone.
        var withdrawn = ContiguousArray<NSManagedObject>()
        /// Objects whose deletion was reported to observers and was then undone.
        var restored = ContiguousArray<NSManagedObject>()
        /// Changed objects that have their saved values again, because of an undo, or because the
        /// changes of a linked object were discarded.
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

    /// Whether there are changes to process.
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
            // A deleted object must not be listed as changed, even if it is changed after the
            // deletion.
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

    /// Requests that the delete rules of a deleted object are applied again.
    func noteUnpropagated(_ object: NSManagedObject) {
        object.state.remove(.propagated)
        unpropagated.append(object)
    }

    /// Undoes a deletion that was not saved.
    func noteRestored(_ object: NSManagedObject) {
        // The clean-up first removes the object from the list of deleted objects, so that the
        // object cannot be listed twice.
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

    /// Records that the insertion of a new object was undone; the object is removed from the
    /// context.
    func noteWithdrawn(_ object: NSManagedObject) {
        assert(
            object.state.contains(.inserted), "the insertion of an object that is not new is undone"
        )
        object.state.subtract([.inserted, .deleted, .propagated])
        noteCleared()
        event.withdrawn.append(object)
    }

    /// Records that undo has reset a changed object to the saved values.
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

    /// Records that another context inserted the object: observers are notified, but this context
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

    /// A save forgets the deletions that were merged before.
    func noteSaved() { hasMergedDeletions = false }

    /// Records that the state bits of an object were changed outside the tracker. The next clean-up
    /// corrects the lists. Before an object leaves the context, call `cleanUp()` to remove it from
    /// the lists.
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

    /// Clears the change bits of one object, as if the object had never been changed. The next
    /// clean-up removes the object from the lists.
    func drop(_ object: NSManagedObject) {
        object.state.subtract([.inserted, .updated, .deleted, .propagated])
        hasStaleEntries = true
    }

    func releaseLocks() {
        for object in locked { object.state.remove(.locked) }
        locked = []
    }

    /// Empties all lists. The values of the objects are unchanged.
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

    /// Removes the objects whose bit was cleared.
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

    /// Whether each object of the list has its bit, and is listed once.
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
