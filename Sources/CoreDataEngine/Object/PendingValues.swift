import CoreDataModel

/// A set of slots.
package struct SlotMask: Sendable, Equatable, Hashable {
    private var low: UInt64 = 0
    private var high: [UInt64] = []

    package init() {}

    package init(_ slots: some Sequence<Int>) {
        for slot in slots { insert(slot) }
    }

    package var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

    @inline(__always)
    package func contains(_ slot: Int) -> Bool {
        if slot < 64 { return low & (1 << UInt64(slot)) != 0 }
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
        while high.count <= word { high.append(0) }
        high[word] |= 1 << UInt64(slot & 63)
    }

    package mutating func remove(_ slot: Int) {
        if slot < 64 {
            low &= ~(1 << UInt64(slot))
        } else if (slot >> 6) - 1 < high.count {
            high[(slot >> 6) - 1] &= ~(1 << UInt64(slot & 63))
        }
    }

    /// The slots in ascending order.
    package var slots: [Int] {
        var result: [Int] = []
        forEach { result.append($0) }
        return result
    }

    /// Calls the body with each slot, in ascending order.
    @inline(__always)
    package func forEach(_ body: (Int) -> Void) {
        for word in 0...high.count {
            var bits = word == 0 ? low : high[word - 1]
            while bits != 0 {
                body(word << 6 + bits.trailingZeroBitCount)
                bits &= bits - 1
            }
        }
    }
}

/// The values of one object that are not in its row: made at the first change, gone at the save.
///
/// One allocation holds the mask of set slots and a value for each slot of the entity.
final class PendingValues: ManagedBuffer<PendingValues.Header, Value> {
    struct Header {
        var count: Int
        /// Slots whose value here counts; the others are read from the row.
        var mask = SlotMask()
        /// A slot changed in the running event, with the value it had when it began; not kept
        /// for objects that were inserted in this very event. Most objects change in one slot.
        var eventBase: EventBase?
        /// The other slots that were.
        var moreEventBases: [EventBase] = []
    }

    typealias EventBase = (slot: Int, value: Value)

    static func make(slotCount: Int) -> PendingValues {
        let buffer = PendingValues.create(minimumCapacity: slotCount) { _ in
            Header(count: slotCount)
        }
        buffer.withUnsafeMutablePointerToElements {
            $0.initialize(repeating: .null, count: slotCount)
        }
        // Safe: `create` on this class makes an instance of this class.
        return unsafeDowncast(buffer, to: PendingValues.self)
    }

    deinit {
        _ = withUnsafeMutablePointers { header, elements in
            elements.deinitialize(count: header.pointee.count)
        }
    }

    // Through pointers, because `header` checks exclusive access at each use.

    var mask: SlotMask {
        get { withUnsafeMutablePointerToHeader { $0.pointee.mask } }
        set { withUnsafeMutablePointerToHeader { $0.pointee.mask = newValue } }
    }

    @inline(__always)
    func isSet(_ slot: Int) -> Bool {
        withUnsafeMutablePointerToHeader { $0.pointee.mask.contains(slot) }
    }

    @inline(__always)
    subscript(slot: Int) -> Value {
        get { withUnsafeMutablePointerToElements { $0[slot] } }
        set {
            withUnsafeMutablePointers { header, elements in
                elements[slot] = newValue
                header.pointee.mask.insert(slot)
            }
        }
    }

    /// Calls the body with each set slot and its value.
    @inline(__always)
    func forEach(_ body: (Int, Value) -> Void) {
        withUnsafeMutablePointers { header, elements in
            header.pointee.mask.forEach { body($0, elements[$0]) }
        }
    }

    /// Notes the value that a slot had when the running event began.
    ///
    /// - Returns: the value, or nil where it had been noted before.
    func noteEventBase(_ slot: Int, _ value: () -> Value) -> Value? {
        withUnsafeMutablePointerToHeader { header in
            guard let first = header.pointee.eventBase else {
                let old = value()
                header.pointee.eventBase = (slot, old)
                return old
            }
            if first.slot == slot { return nil }
            if header.pointee.moreEventBases.contains(where: { $0.slot == slot }) { return nil }
            let old = value()
            header.pointee.moreEventBases.append((slot, old))
            return old
        }
    }

    /// The slots changed in the running event, with the values they had when it began.
    var eventBases: [EventBase] {
        withUnsafeMutablePointerToHeader { header in
            (header.pointee.eventBase.map { [$0] } ?? []) + header.pointee.moreEventBases
        }
    }

    /// Forgets the values of an event that has ended.
    func endEvent() {
        withUnsafeMutablePointerToHeader { header in
            guard header.pointee.eventBase != nil else { return }
            header.pointee.eventBase = nil
            if !header.pointee.moreEventBases.isEmpty { header.pointee.moreEventBases = [] }
        }
    }

    /// Makes the slot's value come from the row again.
    func clear(_ slot: Int) {
        withUnsafeMutablePointers { header, elements in
            elements[slot] = .null
            header.pointee.mask.remove(slot)
        }
    }
}
