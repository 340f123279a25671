import CoreDataModel
import CoreDataStore

// What the unsaved values of an object promise, looked at as a whole.
extension PendingValues {
    /// The first promise that is broken, or nil. Looks at every slot; called on the context's
    /// queue.
    func brokenInvariant(slotCount: Int) -> String? {
        if mask.slots.contains(where: { $0 >= slotCount }) {
            return "A slot counts for which there is no memory."
        }
        for slot in 0..<slotCount where !isSet(slot) && !values[slot].isNull {
            return "The slot \(slot) has a value that does not count, and would not be released."
        }
        let bases = eventBases.map(\.slot)
        if Set(bases).count != bases.count || bases.contains(where: { $0 >= slotCount }) {
            return "The running event began with two values of one slot, or with a stranger's."
        }
        return nil
    }
}

extension NSManagedObject {
    /// What is wrong with the object's unsaved values.
    final func brokenPendingValues() -> String? {
        let slotCount = layoutReference._withUnsafeGuaranteedRef { $0.values.count }
        return pending?.brokenInvariant(slotCount: slotCount)
    }
}
