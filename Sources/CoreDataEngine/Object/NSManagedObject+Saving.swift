import CoreDataModel
import CoreDataStore

/// The parts of an object that a save writes, and its state afterwards.
extension NSManagedObject {
    /// The key that a save writes for a to-one slot: the current key of the destination.
    ///
    /// Nil if the destination was deleted before it was ever saved, and the delete rule has kept
    /// the link.
    final func storedKey(at slot: Int) -> ObjectKey? {
        guard var key = destinationKey(at: slot) else { return nil }
        let known = withKnownDestination(slot) { $0.willNeverHaveRow ? nil : $0.objectKey }
        if let known {
            guard let current = known else { return nil }
            key = current
            if registry?.knowsEveryKey == true { return key }
        }
        guard key.isTemporary, let registry else { return key }
        return registry.currentKey(key)
    }

    /// Whether the object was dropped, or its insertion undone, before it was ever saved. False for
    /// an object of a child context that is new in the parent.
    final var willNeverHaveRow: Bool {
        if key >= 0 || state.contains(.inserted) { return false }
        return registry?.context?.parent == nil
    }

    /// The root of the object's entity, whose subentities share one sequence of keys.
    @inline(__always)
    final var rootIndex: Int { layoutReference._withUnsafeGuaranteedRef { $0.rootIndex } }

    /// Drops the unsaved values that a save has written, because the new row contains them. Keeps
    /// transient values.
    final func dropSavedValues() {
        guard let pending else { return }
        if layoutReference._withUnsafeGuaranteedRef({ $0.hasTransientValues }) {
            let layout = layout
            for slot in pending.mask.slots where !layout.values[slot].isTransient {
                pending.clear(slot)
            }
            if !pending.mask.isEmpty { return }
        }
        dropPending()
    }
}
