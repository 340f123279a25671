/// A set of objects by their addresses. It does not hash, compare or retain the objects.
///
/// An `ObjectList` that is too long to be searched uses it, and keeps the objects alive. The table
/// uses open addressing with linear probing. It is at most half full, so every look-up ends.
struct IdentitySet {
    /// The addresses; 0, which is not a valid address, marks a free position.
    private var places: ContiguousArray<UInt>
    private(set) var count = 0

    init(_ objects: [NSManagedObject]) {
        var capacity = 64
        while capacity < objects.count * 2 { capacity *= 2 }
        places = ContiguousArray(repeating: 0, count: capacity)
        for object in objects { insert(object) }
    }

    func contains(_ object: NSManagedObject) -> Bool {
        places[place(of: Self.address(object))] != 0
    }

    /// - Returns: whether the object was absent.
    @discardableResult
    mutating func insert(_ object: NSManagedObject) -> Bool {
        if (count + 1) * 2 > places.count { grow() }
        let address = Self.address(object)
        let place = place(of: address)
        if places[place] != 0 { return false }
        places[place] = address
        count += 1
        assert(count * 2 <= places.count, "the set is more than half full")
        return true
    }

    mutating func remove(_ object: NSManagedObject) {
        var hole = place(of: Self.address(object))
        guard places[hole] != 0 else { return }
        let mask = places.count - 1
        var index = (hole + 1) & mask
        // An entry is moved into the hole if a search for it would stop at the hole.
        while places[index] != 0 {
            if (index - home(places[index])) & mask >= (index - hole) & mask {
                places[hole] = places[index]
                hole = index
            }
            index = (index + 1) & mask
        }
        places[hole] = 0
        assert(count > 0, "an object was not counted")
        count -= 1
        assert(!contains(object), "an object was in the set twice")
    }

    private mutating func grow() {
        let old = places
        assert(old.count & (old.count - 1) == 0, "the capacity is not a power of two")
        places = ContiguousArray(repeating: 0, count: old.count * 2)
        for address in old where address != 0 { places[place(of: address)] = address }
    }

    private static func address(_ object: NSManagedObject) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    }

    private func home(_ address: UInt) -> Int {
        let mixed = (address >> 4) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> 32) & (places.count - 1)
    }

    /// The position of the address, or the free position at which to store it.
    private func place(of address: UInt) -> Int {
        let mask = places.count - 1
        var index = home(address)
        while places[index] != 0, places[index] != address { index = (index + 1) & mask }
        return index
    }
}
