/// An open-addressing table from primary key to entry, for the objects or rows of one root entity.
///
/// The identity map of a context and the row cache of a coordinator are made of these, each under
/// its owner's lock. Keys come in dense runs, so the hash keeps neighbours in one cache line; a
/// plain dictionary costs four to six times as much here, and a mixing hash twice as much.
struct KeyTable<Entry>: ~Copyable {
    private var keys: UnsafeMutablePointer<Int64>
    private var entries: UnsafeMutablePointer<Entry?>
    private var mask: Int
    private(set) var count = 0

    init() {
        keys = .allocate(capacity: 16)
        entries = .allocate(capacity: 16)
        entries.initialize(repeating: nil, count: 16)
        mask = 15
    }

    deinit {
        keys.deallocate()
        entries.deinitialize(count: mask + 1)
        entries.deallocate()
    }

    @inline(__always)
    private func home(_ key: Int64) -> Int {
        // The low four bits stay, so that sixteen neighbours share two cache lines.
        let high = UInt64(bitPattern: key) &>> 4 &* 0x9E37_79B9_7F4A_7C15
        let mixed = (high ^ high &>> 29) &<< 4 | UInt64(bitPattern: key) & 15
        return Int(truncatingIfNeeded: mixed) & mask
    }

    /// The place of the key's entry, or the free place where it would be put.
    @inline(__always)
    private func place(of key: Int64) -> Int {
        var index = home(key)
        while entries[index] != nil, keys[index] != key { index = (index + 1) & mask }
        return index
    }

    /// The entry of a key.
    @inline(__always)
    subscript(key: Int64) -> Entry? { entries[place(of: key)] }

    /// Puts an entry in and gives the one out that it replaces.
    @discardableResult
    mutating func update(_ key: Int64, _ entry: Entry) -> Entry? {
        if (count + 1) * 2 > mask { grow(to: (mask + 1) * 2) }
        let index = place(of: key)
        let old = entries[index]
        keys[index] = key
        entries[index] = entry
        if old == nil { count += 1 }
        return old
    }

    /// Changes the key's entry where it is, if there is one.
    mutating func change(_ key: Int64, _ change: (inout Entry) -> Void) {
        let index = place(of: key)
        guard var entry = entries[index] else { return }
        change(&entry)
        entries[index] = entry
    }

    /// Takes the key's entry out.
    ///
    /// Backward-shift deletion: no tombstones, so look-ups stay short.
    @discardableResult
    mutating func remove(_ key: Int64) -> Entry? {
        var hole = place(of: key)
        guard let removed = entries[hole] else { return nil }
        var index = (hole + 1) & mask
        while entries[index] != nil {
            let distanceFromHome = (index - home(keys[index])) & mask
            if distanceFromHome >= (index - hole) & mask {
                keys[hole] = keys[index]
                entries[hole] = entries[index]
                hole = index
            }
            index = (index + 1) & mask
        }
        entries[hole] = nil
        count -= 1
        return removed
    }

    /// Makes room for entries to come.
    mutating func reserve(_ additional: Int) {
        var capacity = mask + 1
        while (count + additional) * 2 > capacity { capacity *= 2 }
        if capacity > mask + 1 { grow(to: capacity) }
    }

    func forEach(_ body: (Entry) -> Void) {
        for index in 0...mask {
            if let entry = entries[index] { body(entry) }
        }
    }

    private mutating func grow(to capacity: Int) {
        let oldKeys = keys
        let oldEntries = entries
        let oldCapacity = mask + 1
        keys = .allocate(capacity: capacity)
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: nil, count: capacity)
        mask = capacity - 1
        count = 0
        for index in 0..<oldCapacity {
            if let entry = oldEntries[index] { update(oldKeys[index], entry) }
        }
        oldKeys.deallocate()
        oldEntries.deinitialize(count: oldCapacity)
        oldEntries.deallocate()
    }
}
