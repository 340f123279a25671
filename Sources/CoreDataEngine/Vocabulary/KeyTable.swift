import Foundation

/// An open-addressing table from primary key to pointer, for the objects or rows of one root
/// entity.
///
/// The identity map of a context and the row cache of a coordinator are made of these, each under
/// its owner's lock. Keys come in dense runs, so the hash keeps neighbours in one cache line; a
/// plain dictionary costs four to six times as much here, and a mixing hash twice as much.
struct KeyTable: ~Copyable {
    private var keys: UnsafeMutablePointer<Int64>
    private var entries: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private var mask: Int
    private(set) var count = 0

    init() {
        keys = .allocate(capacity: 16)
        entries = Self.emptyEntries(16)
        mask = 15
    }

    deinit {
        keys.deallocate()
        free(entries)
    }

    /// Zeroed memory fresh from the kernel need not be written to be empty.
    private static func emptyEntries(
        _ capacity: Int
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        guard let made = calloc(capacity, MemoryLayout<UnsafeMutableRawPointer?>.stride) else {
            fatalError("There is no memory for \(capacity) more objects or rows.")
        }
        return made.bindMemory(to: UnsafeMutableRawPointer?.self, capacity: capacity)
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
        while entries[index] != nil, keys[index] != key { index = (index &+ 1) & mask }
        return index
    }

    /// The entry of a key.
    @inline(__always)
    subscript(key: Int64) -> UnsafeMutableRawPointer? { entries[place(of: key)] }

    /// Puts an entry in and gives the one out that it replaces.
    @inline(__always) @discardableResult
    mutating func update(
        _ key: Int64, _ entry: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer? {
        if (count &+ 1) &* 2 > mask { grow(to: (mask + 1) * 2) }
        let index = place(of: key)
        let old = entries[index]
        keys[index] = key
        entries[index] = entry
        if old == nil { count &+= 1 }
        return old
    }

    /// Takes the key's entry out.
    ///
    /// Backward-shift deletion: no tombstones, so look-ups stay short.
    @discardableResult
    mutating func remove(_ key: Int64) -> UnsafeMutableRawPointer? {
        var hole = place(of: key)
        guard let removed = entries[hole] else { return nil }
        var index = (hole &+ 1) & mask
        while entries[index] != nil {
            let distanceFromHome = (index &- home(keys[index])) & mask
            if distanceFromHome >= (index &- hole) & mask {
                keys[hole] = keys[index]
                entries[hole] = entries[index]
                hole = index
            }
            index = (index &+ 1) & mask
        }
        entries[hole] = nil
        count &-= 1
        return removed
    }

    /// Makes room for entries to come.
    mutating func reserve(_ additional: Int) {
        var capacity = mask + 1
        while (count + additional) * 2 > capacity { capacity *= 2 }
        if capacity > mask + 1 { grow(to: capacity) }
    }

    func forEach(_ body: (UnsafeMutableRawPointer) -> Void) {
        for index in 0...mask {
            if let entry = entries[index] { body(entry) }
        }
    }

    private mutating func grow(to capacity: Int) {
        let oldKeys = keys
        let oldEntries = entries
        let oldCapacity = mask + 1
        keys = .allocate(capacity: capacity)
        entries = Self.emptyEntries(capacity)
        mask = capacity - 1
        for index in 0..<oldCapacity {
            guard let entry = oldEntries[index] else { continue }
            let place = place(of: oldKeys[index])
            keys[place] = oldKeys[index]
            entries[place] = entry
        }
        oldKeys.deallocate()
        free(oldEntries)
    }
}
