import ContextHistory
import CoreDataEngine

/// The properties that steps have set by name since the last save, as slots, for each object of a
/// context.
///
/// References to objects are weak, because a new object may get the address of a released one.
struct NamedSlots {
    private struct Entry {
        weak var object: NSManagedObject?
        var slots: Set<Int>
        /// The slots whose last value the accessor cannot distinguish from nil.
        var equalsNull: Set<Int>
    }

    private var entries: [ObjectIdentifier: Entry] = [:]

    func slots(of object: NSManagedObject) -> [Int] { entry(of: object)?.slots.sorted() ?? [] }

    /// Whether the accessor cannot distinguish the new value from nil. An example is `false` for an
    /// attribute that the program reads as a `Bool`.
    func equalsNull(_ slot: Int, of object: NSManagedObject) -> Bool {
        entry(of: object)?.equalsNull.contains(slot) ?? false
    }

    /// The values of the object that differ from its row; all values if the object has no row.
    func changes(
        of object: NSManagedObject, from base: Row?, to current: Row
    ) -> [(slot: Int, value: ObservedValue)] {
        current.values.enumerated().compactMap { slot, value in
            let old = base?.values[slot]
            let isSame = value == old || old == .null && equalsNull(slot, of: object)
            return isSame ? nil : (slot, value)
        }
    }

    mutating func note(_ slot: Int, of object: NSManagedObject, equalsNull: Bool = false) {
        var entry = entry(of: object) ?? Entry(object: object, slots: [], equalsNull: [])
        entry.slots.insert(slot)
        if equalsNull { entry.equalsNull.insert(slot) } else { entry.equalsNull.remove(slot) }
        entries[ObjectIdentifier(object)] = entry
    }

    private func entry(of object: NSManagedObject) -> Entry? {
        guard let entry = entries[ObjectIdentifier(object)], entry.object === object else {
            return nil
        }
        return entry
    }

    mutating func forget(_ object: NSManagedObject) { entries[ObjectIdentifier(object)] = nil }

    mutating func removeAll() { entries = [:] }
}
