import CoreDataEngine

/// The slots of a context's objects that steps have set by name since the last save.
///
/// References are weak: an object without owners has no changes, and a new object may get its
/// address.
struct NamedSlots {
    private struct Entry {
        weak var object: NSManagedObject?
        var slots: Set<Int>
    }

    private var entries: [ObjectIdentifier: Entry] = [:]

    /// The object's slots in ascending order.
    func slots(of object: NSManagedObject) -> [Int] {
        guard let entry = entries[ObjectIdentifier(object)], entry.object === object else {
            return []
        }
        return entry.slots.sorted()
    }

    mutating func note(_ slot: Int, of object: NSManagedObject) {
        let slots = self.slots(of: object)
        entries[ObjectIdentifier(object)] = Entry(object: object, slots: Set(slots + [slot]))
    }

    /// Records that the object's changes were dropped.
    mutating func forget(_ object: NSManagedObject) { entries[ObjectIdentifier(object)] = nil }

    mutating func removeAll() { entries = [:] }
}
