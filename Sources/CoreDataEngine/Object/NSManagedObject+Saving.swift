import CoreDataModel
import CoreDataStore

/// The parts of an object that a save writes, and its state afterwards.
extension NSManagedObject {
    /// The key to write for a to-one slot: the destination's current key; nil for a new destination
    /// that was deleted under a rule that keeps the reference.
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
    /// an object that is new in a parent context and registered in a nested context.
    final var willNeverHaveRow: Bool {
        if key >= 0 || state.contains(.inserted) { return false }
        return registry?.context?.parent == nil
    }

    /// The root of the object's entity, whose subentities share one sequence of keys.
    @inline(__always)
    final var rootIndex: Int { layoutReference._withUnsafeGuaranteedRef { $0.rootIndex } }

    /// The row now has the saved values; transient values stay with the object.
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
