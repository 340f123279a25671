import CoreDataModel
import CoreDataStore

// Checks the unsaved values of an object as a whole.
extension PendingValues {
    /// A description of the first broken invariant, or nil. The check reads every slot, so it must
    /// run on the context's queue.
    func brokenInvariant(slotCount: Int) -> String? {
        if mask.slots.contains(where: { $0 >= slotCount }) {
            return "The set of changed slots contains a slot outside the memory."
        }
        for slot in 0..<slotCount where !isSet(slot) && !values[slot].isNull {
            return "The slot \(slot) has a value but is not set; the value would not be released."
        }
        let bases = eventBases.map(\.slot)
        if Set(bases).count != bases.count || bases.contains(where: { $0 >= slotCount }) {
            return "The values at the beginning of the event have a slot twice, or an unknown slot."
        }
        return nil
    }
}

extension NSManagedObject {
    /// A description of the first broken invariant of the object's unsaved values, or nil.
    final func brokenPendingValues() -> String? {
        let slotCount = layoutReference._withUnsafeGuaranteedRef { $0.values.count }
        return pending?.brokenInvariant(slotCount: slotCount)
    }
}
