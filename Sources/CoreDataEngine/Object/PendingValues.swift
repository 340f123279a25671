import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// A set of slots.
package struct SlotMask: Sendable, Equatable, Hashable {
    private var low: UInt64 = 0
    /// The slots from 64 on. If no such slot is set, it is nil and not empty: copies of an empty
    /// array would count references, too.
    private var high: [UInt64]?

    package init() {}

    package init(_ slots: some Sequence<Int>) {
        for slot in slots { insert(slot) }
    }

    package var isEmpty: Bool { low == 0 && (high?.allSatisfy { $0 == 0 } ?? true) }

    @inline(__always)
    package func contains(_ slot: Int) -> Bool {
        if slot < 64 { return low & (1 << UInt64(slot)) != 0 }
        guard let high else { return false }
        let word = (slot >> 6) - 1
        return word < high.count && high[word] & (1 << UInt64(slot & 63)) != 0
    }

    @inline(__always)
    package mutating func insert(_ slot: Int) {
        if slot < 64 {
            low |= 1 &<< UInt64(truncatingIfNeeded: slot)
        } else {
            insertHigh(slot)
        }
    }

    private mutating func insertHigh(_ slot: Int) {
        let word = (slot >> 6) - 1
        let missing = word + 1 - (high?.count ?? 0)
        if missing > 0 { high = (high ?? []) + Array(repeating: 0, count: missing) }
        high?[word] |= 1 << UInt64(slot & 63)
    }

    package mutating func remove(_ slot: Int) {
        if slot < 64 {
            low &= ~(1 << UInt64(slot))
        } else if contains(slot) {
            high?[(slot >> 6) - 1] &= ~(1 << UInt64(slot & 63))
        }
    }

    package var slots: [Int] {
        var result: [Int] = []
        forEach { result.append($0) }
        return result
    }

    @inline(__always)
    package func forEach(_ body: (Int) -> Void) {
        Self.forEachBit(of: low, from: 0, body)
        guard let high else { return }
        for (word, bits) in high.enumerated() {
            Self.forEachBit(of: bits, from: (word + 1) << 6, body)
        }
    }

    @inline(__always)
    private static func forEachBit(of bits: UInt64, from first: Int, _ body: (Int) -> Void) {
        var bits = bits
        while bits != 0 {
            body(first + bits.trailingZeroBitCount)
            bits &= bits - 1
        }
    }
}

/// The unsaved values of one object, created at the first change and freed at the save.
///
/// A `PendingValues` is a pointer to a block of memory, with a mask of the set slots and a value
/// for each slot of the entity. Only the object owns the block and frees it. Values are read and
/// set too often for a reference-counted block.
///
/// Invariant: the mask contains each slot whose value is set, and every other value is null.
/// `eventBase` and `moreEventBases` together contain each slot at most once.
struct PendingValues {
    // Not private, because the invariant checks read this property and tests corrupt it.
    struct Header {
        /// Slots whose value is set here; the others are read from the row.
        var mask = SlotMask()
        /// A slot that changed in the current event, and its value before the event. Nothing is
        /// recorded for objects that were inserted in the same event.
        var eventBase: EventBase?
        /// The other slots that changed in the current event. Most objects change in one slot, so
        /// it is usually nil: counting references to an empty array would be slow.
        var moreEventBases: [EventBase]?
    }

    typealias EventBase = (value: Value, slot: Int32)

    let header: UnsafeMutablePointer<Header>

    var values: UnsafeMutablePointer<Value> {
        UnsafeMutableRawPointer(header + 1).assumingMemoryBound(to: Value.self)
    }

    init(slotCount: Int) {
        let size = MemoryLayout<Header>.stride + slotCount * MemoryLayout<Value>.stride
        guard let memory = malloc(size) else {
            trap("\(size) bytes for changed values cannot be allocated.")
        }
        header = memory.bindMemory(to: Header.self, capacity: 1)
        header.initialize(to: Header())
        values.initialize(repeating: .null, count: slotCount)
    }

    /// Frees the memory. No copy of the pointer may be used afterwards.
    func deallocate() {
        // The values of the other slots are null and need no deinitialisation.
        header.pointee.mask.forEach { (values + $0).deinitialize(count: 1) }
        header.deinitialize(count: 1)
        free(header)
    }

    var mask: SlotMask { header.pointee.mask }

    @inline(__always)
    func isSet(_ slot: Int) -> Bool { header.pointee.mask.contains(slot) }

    @inline(__always)
    subscript(slot: Int) -> Value {
        get { values[slot] }
        nonmutating set {
            values[slot] = newValue
            header.pointee.mask.insert(slot)
        }
    }

    @inline(__always)
    func forEach(_ body: (Int, borrowing Value) -> Void) {
        header.pointee.mask.forEach { body($0, values[$0]) }
    }

    /// Records the value that a slot had before the current event.
    ///
    /// - Returns: the recorded value; nil if the slot already had one.
    func noteEventBase(_ slot: Int, _ value: () -> Value) -> Value? {
        let number = Int32(truncatingIfNeeded: slot)
        guard let first = header.pointee.eventBase else {
            let old = value()
            header.pointee.eventBase = (old, number)
            return old
        }
        if first.slot == number { return nil }
        let isNoted = header.pointee.moreEventBases?.contains { $0.slot == number } ?? false
        if isNoted { return nil }
        let old = value()
        if header.pointee.moreEventBases == nil { header.pointee.moreEventBases = [] }
        header.pointee.moreEventBases?.append((old, number))
        return old
    }

    var eventBases: [(slot: Int, value: Value)] {
        let first = header.pointee.eventBase.map { [$0] } ?? []
        let all = first + (header.pointee.moreEventBases ?? [])
        return all.map { (Int($0.slot), $0.value) }
    }

    @inline(__always)
    func endEvent() {
        guard header.pointee.eventBase != nil else { return }
        header.pointee.eventBase = nil
        header.pointee.moreEventBases = nil
    }

    /// Clears the slot, so that its value comes from the row again.
    func clear(_ slot: Int) {
        values[slot] = .null
        header.pointee.mask.remove(slot)
    }
}
