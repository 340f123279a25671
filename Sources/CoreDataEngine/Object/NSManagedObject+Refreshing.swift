import CoreDataModel
import CoreDataStore

/// Replaces or removes the row of an object that may have unsaved changes.
extension NSManagedObject {
    /// Replaces the object's row, and keeps the object's unsaved changes.
    ///
    /// - Parameter keepsEqualValues: whether an unsaved value that equals the value in the old row
    ///   remains a change.
    final func rebase(onto row: RowReference, keepsEqualValues: Bool = false) {
        _ = Unmanaged.passRetained(row.block)
        rebase(taking: row.cells, keepsEqualValues: keepsEqualValues)
    }

    /// Replaces the row as ``rebase(onto:keepsEqualValues:)`` does.
    ///
    /// - Parameter row: the row, with a retained reference to its block. The object takes over this
    ///   reference.
    final func rebase(taking row: UnsafeRawPointer, keepsEqualValues: Bool = false) {
        noticingRow(row) { putUnder(row, keepsEqualValues) }
    }

    private func putUnder(_ row: UnsafeRawPointer, _ keepsEqualValues: Bool) {
        if !keepsEqualValues { dropEqualValues() }
        layoutReference._withUnsafeGuaranteedRef { layout in
            for slot in layout.toOneSlots
            where pending?.isSet(slot) != true && !keepsDestination(slot, with: row) {
                forgetDestination(slot)
            }
        }
        take(row)
        if pending != nil { leaveFormerDestinations() }
        guard let relationships else { return }
        relationships.fetched = [:]
        for slot in layout.toMany.indices { relationships.members(slot)?.unload() }
    }

    private func keepsDestination(_ slot: Int, with row: UnsafeRawPointer) -> Bool {
        guard let cells, !RowFormat.isNull(cells, slot: slot), !RowFormat.isNull(row, slot: slot),
            RowFormat.word(cells, slot: slot) == RowFormat.word(row, slot: slot)
        else { return false }
        let own = registryReference?.toOpaque()
        // A destination that has left the context is looked up again.
        return withKnownDestination(slot) { $0.registryReference?.toOpaque() == own } ?? true
    }

    /// Where an unsaved value replaces a to-one destination of the new row, removes this object
    /// from the members of that destination.
    private func leaveFormerDestinations() {
        for slot in layout.toOneSlots where pending?.isSet(slot) == true {
            if case .toMany(let inverse)? = layout.values[slot].toOne?.inverse {
                leaveCommitted(slot, inverse)
            }
        }
    }

    /// Removes this object from the members of the destination in the new row, unless it is still
    /// the destination. The save then includes that destination, as after a new change.
    private func leaveCommitted(_ slot: Int, _ inverse: Int) {
        guard case .reference(let key) = committedValue(at: slot), let registry,
            registry.hasContext
        else { return }
        let other = registry.object(for: key)
        if other !== destination(at: slot) { other.loseMember(inverse, self) }
    }

    /// Drops unsaved values that equal the old row. The values of the new row are then visible.
    private func dropEqualValues() {
        guard let pending, cells != nil else { return }
        for slot in pending.mask.slots where !layout.values[slot].isTransient {
            if SavePlanBuilder.storedValue(of: self, slot) == committedValue(at: slot) {
                pending.clear(slot)
            }
        }
    }

    final func restoreCommitted() {
        noticingRestore { dropChanges() }
    }

    private func dropChanges() {
        dropPending()
        if !state.contains(.fault), layout.hasTransientValues { takeTransientDefaults() }
        for slot in layout.values.indices where layout.isToOne(slot) { forgetDestination(slot) }
        guard let relationships else { return }
        for slot in layout.toMany.indices { relationships.members(slot)?.discard() }
    }

    /// Invalidates the object, because its store was removed. Only its id can still be used.
    final func invalidate() {
        leave()
        state = state.intersection(.observed).union([.fault, .invalidated])
    }

    /// Detaches the object, because its context was reset. The object then has only its default
    /// values, and can no longer be changed.
    final func forgetContext(by binding: ModelBinding) {
        leave()
        state = state.intersection(.observed).union(.invalidated)
        let index = layoutReference._withUnsafeGuaranteedRef { $0.index }
        binding.eachDefault(at: index) { storePending($1, at: $0) }
    }

    private func leave() {
        if !knowsStore { identifier = objectID }
        dropPending()
        relationships = nil
        take(nil)
        batch = nil
        registry = nil
    }
}
