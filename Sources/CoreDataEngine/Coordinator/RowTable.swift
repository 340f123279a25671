/// An open-addressing table from primary key to cached row, for the rows of one root entity.
///
/// Owned by the row cache and used under its lock. Keys come in dense runs, so the hash keeps
/// neighbours together, as in `IdentityTable`; a dictionary costs several times as much for the
/// hundred thousand rows of a large fetch.
struct RowTable: ~Copyable {
    /// Where a row is, and whom it replaced.
    struct Entry {
        /// Safe: a block removes its entries in its `deinit`, under the lock.
        var block: Unmanaged<RowBlock>
        var cells: UnsafeRawPointer
        /// The block whose row this one replaced; while it lives, `block` is retained.
        var anchor: UnsafeMutableRawPointer?
    }

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
        entries.deallocate()
    }

    @inline(__always)
    private func home(_ key: Int64) -> Int {
        let high = UInt64(bitPattern: key) &>> 4 &* 0x9E37_79B9_7F4A_7C15
        let mixed = (high ^ high &>> 29) &<< 4 | UInt64(bitPattern: key) & 15
        return Int(truncatingIfNeeded: mixed) & mask
    }

    /// The place of the key's entry, or nil.
    @inline(__always)
    private func index(of key: Int64) -> Int? {
        var index = home(key)
        while entries[index] != nil {
            if keys[index] == key { return index }
            index = (index + 1) & mask
        }
        return nil
    }

    subscript(key: Int64) -> Entry? {
        index(of: key).flatMap { entries[$0] }
    }

    /// Puts an entry in and gives the one out that it replaces.
    mutating func update(_ key: Int64, _ entry: Entry) -> Entry? {
        if (count + 1) * 2 > mask { grow(to: (mask + 1) * 2) }
        var index = home(key)
        while let old = entries[index] {
            if keys[index] == key {
                entries[index] = entry
                return old
            }
            index = (index + 1) & mask
        }
        keys[index] = key
        entries[index] = entry
        count += 1
        return nil
    }

    /// The replaced block is gone: the entry is held weakly from now on.
    mutating func clearAnchor(_ key: Int64) {
        if let index = index(of: key) { entries[index]?.anchor = nil }
    }

    mutating func remove(_ key: Int64) -> Entry? {
        guard let start = index(of: key) else { return nil }
        let removed = entries[start]
        var hole = start
        var index = (start + 1) & mask
        while entries[index] != nil {
            if (index - home(keys[index])) & mask >= (index - hole) & mask {
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
            if let entry = oldEntries[index] { _ = update(oldKeys[index], entry) }
        }
        oldKeys.deallocate()
        oldEntries.deallocate()
    }
}
