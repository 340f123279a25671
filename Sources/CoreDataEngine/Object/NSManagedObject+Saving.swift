import CoreDataModel
import CoreDataStore

/// What a save writes of an object, and what stays of it afterwards.
extension NSManagedObject {
    /// A to-one slot's key as it is written: the destination's key by now, and none for a new
    /// object that was deleted under a rule that leaves the reference to it.
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

    /// Whether the object was dropped, or its insertion undone, before it was ever saved. A nested
    /// context also knows new objects of its parent, which are none of these.
    final var willNeverHaveRow: Bool {
        if key >= 0 || state.contains(.inserted) { return false }
        return registry?.context?.parent == nil
    }

    /// The root of the object's entity, whose subentities share one sequence of keys.
    @inline(__always)
    final var rootIndex: Int { layoutReference._withUnsafeGuaranteedRef { $0.rootIndex } }

    /// The row has the saved values now; transient ones stay with the object.
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
