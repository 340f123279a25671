import CoreDataTrace
import Foundation

/// A table from primary key to pointer, for the objects or rows of one root entity.
///
/// The identity map of a context and the row cache of a coordinator consist of such tables, each
/// under its owner's lock. Keys are usually consecutive. So the entries of eight neighbouring keys
/// form a group, which fits a cache line, and a directory with open addressing finds the group. A
/// key costs twelve bytes if its whole group is used, and about ninety if it is the only key of its
/// group. Iterating over keys in order needs no look-up within a group.
///
/// Invariant: the directory contains each group in use once, at a position where a look-up of its
/// prefix finds it. Each group in use has an entry. The directory is at most half full, so a
/// look-up ends. `count` is the number of entries.
@usableFromInline package struct KeyTable: ~Copyable {
    @usableFromInline package typealias Entry = UnsafeMutableRawPointer?

    // Only this file, the invariants, and the tests that break them use the storage.
    /// The directory. For each group it has the prefix (the upper bits of the group's keys) and the
    /// group's number, counted from 1. In a free position, the number is 0.
    @usableFromInline var prefixes: UnsafeMutablePointer<Int64>
    @usableFromInline package var numbers: UnsafeMutablePointer<Int32>
    @usableFromInline package var mask: Int
    @usableFromInline var groupCount = 0
    /// The entries of all groups. Group 0 is never used. The first entry of a free group contains
    /// the number of the next free group.
    @usableFromInline package var entries: UnsafeMutablePointer<Entry>
    @usableFromInline var groupCapacity: Int
    @usableFromInline var groupsUsed = 1
    @usableFromInline var freeGroup = 0
    /// The group that was found last; 0 for none.
    @usableFromInline var lastPrefix: Int64 = 0
    @usableFromInline var lastNumber = 0
    @usableFromInline package internal(set) var count = 0

    @usableFromInline static let groupSize = 8
    @usableFromInline static let groupShift: Int64 = 3
    private static let firstCapacity = 16
    /// The maximum number of groups that an emptied table keeps. They take 256 KB, and the next
    /// fetch usually adds as many objects.
    private static let keptCapacity = 4096

    package init() {
        mask = Self.firstCapacity - 1
        prefixes = .allocate(capacity: Self.firstCapacity)
        numbers = .allocate(capacity: Self.firstCapacity)
        numbers.initialize(repeating: 0, count: Self.firstCapacity)
        groupCapacity = 4
        entries = Self.grown(nil, to: 4)
    }

    deinit {
        prefixes.deallocate()
        numbers.deallocate()
        free(entries)
    }

    // MARK: Entries

    @inlinable @inline(__always)
    package subscript(key: Int64) -> UnsafeMutableRawPointer? {
        mutating get {
            let group = group(of: key)
            return group == 0 ? nil : entries[Self.place(key, in: group)]
        }
    }

    /// Stores an entry and returns the entry that was replaced.
    @inlinable @inline(__always) @discardableResult
    package mutating func update(
        _ key: Int64, _ entry: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer? {
        var group = group(of: key)
        if group == 0 { group = makeGroup(of: key) }
        let place = Self.place(key, in: group)
        let old = entries[place]
        entries[place] = entry
        if old == nil { count &+= 1 }
        return old
    }

    @inlinable @discardableResult
    package mutating func remove(_ key: Int64) -> UnsafeMutableRawPointer? {
        let group = group(of: key)
        guard group != 0 else { return nil }
        let place = Self.place(key, in: group)
        guard let removed = entries[place] else { return nil }
        assert(count > 0, "an entry was not counted")
        entries[place] = nil
        count &-= 1
        if isEmpty(group) { removeGroup(group, prefix: key &>> Self.groupShift) }
        return removed
    }

    /// Reserves space for n further entries with dense keys.
    package mutating func reserve(_ additional: Int) {
        let groups = groupCount + additional / Self.groupSize + 1
        if groups * 2 > mask { growDirectory(for: groups) }
        if groups >= groupCapacity { growGroups(to: groups + 1) }
    }

    @inlinable package func forEach(_ body: (UnsafeMutableRawPointer) -> Void) {
        for index in 0...mask where numbers[index] != 0 {
            let start = Int(numbers[index]) * Self.groupSize
            for place in start..<start + Self.groupSize {
                if let entry = entries[place] { body(entry) }
            }
        }
    }

    // MARK: Groups

    @inlinable @inline(__always)
    static func place(_ key: Int64, in group: Int) -> Int {
        group &* groupSize &+ Int(truncatingIfNeeded: key & Int64(groupSize - 1))
    }

    /// The group of a key, or 0.
    @inlinable @inline(__always)
    mutating func group(of key: Int64) -> Int {
        let prefix = key &>> Self.groupShift
        if prefix == lastPrefix, lastNumber != 0 {
            assert(
                Int(numbers[directoryPlace(of: prefix)]) == lastNumber,
                "the group that was found last is no longer in the directory")
            return lastNumber
        }
        let number = Int(numbers[directoryPlace(of: prefix)])
        if number != 0 {
            lastPrefix = prefix
            lastNumber = number
        }
        return number
    }

    @usableFromInline mutating func makeGroup(of key: Int64) -> Int {
        if (groupCount + 1) * 2 > mask { growDirectory(for: groupCount + 1) }
        let number = takeFreeGroup()
        let prefix = key &>> Self.groupShift
        let place = directoryPlace(of: prefix)
        assert(numbers[place] == 0, "the prefix already has a group")
        assert(number <= Int(Int32.max), "the directory cannot number more groups")
        prefixes[place] = prefix
        numbers[place] = Int32(truncatingIfNeeded: number)
        groupCount += 1
        assert(groupCount * 2 <= mask, "the directory is more than half full")
        lastPrefix = prefix
        lastNumber = number
        return number
    }

    private mutating func takeFreeGroup() -> Int {
        let number: Int
        if freeGroup != 0 {
            number = freeGroup
            freeGroup = Int(bitPattern: entries[number * Self.groupSize])
        } else {
            if groupsUsed == groupCapacity { growGroups(to: groupCapacity * 2) }
            number = groupsUsed
            groupsUsed += 1
        }
        assert(number > 0 && number < groupsUsed, "the group is not in use")
        assert(groupsUsed <= groupCapacity, "more groups are in use than the table can hold")
        (entries + number * Self.groupSize).update(repeating: nil, count: Self.groupSize)
        return number
    }

    @inlinable @inline(__always)
    func isEmpty(_ group: Int) -> Bool {
        let start = entries + group * Self.groupSize
        for index in 0..<Self.groupSize where start[index] != nil { return false }
        return true
    }

    @usableFromInline mutating func removeGroup(_ number: Int, prefix: Int64) {
        assert(
            Int(numbers[directoryPlace(of: prefix)]) == number,
            "the directory has another group for the prefix")
        removeFromDirectory(prefix)
        groupCount -= 1
        assert(groupCount > 0 || count == 0, "the table counts entries but has no group")
        lastNumber = 0
        if count == 0 { return renumber() }
        entries[number * Self.groupSize] = UnsafeMutableRawPointer(bitPattern: freeGroup)
        freeGroup = number
    }

    /// Numbers new groups consecutively again. No group may be in use.
    private mutating func renumber() {
        assert(groupCount == 0, "the directory contains an empty group")
        if groupCapacity > Self.keptCapacity {
            self = KeyTable()
        } else {
            (groupsUsed, freeGroup) = (1, 0)
        }
    }

    private mutating func growGroups(to capacity: Int) {
        entries = Self.grown(entries, to: capacity)
        groupCapacity = capacity
    }

    private static func grown(
        _ old: UnsafeMutablePointer<Entry>?, to capacity: Int
    ) -> UnsafeMutablePointer<Entry> {
        let count = capacity * groupSize
        guard let made = realloc(old, count * MemoryLayout<Entry>.stride) else {
            trap("Memory for \(count) objects or rows cannot be allocated.")
        }
        return made.bindMemory(to: Entry.self, capacity: count)
    }

    // MARK: Directory

    @inlinable @inline(__always)
    func home(_ prefix: Int64) -> Int {
        // The hash keeps the low bits, so neighbouring prefixes share cache lines. Mixing all bits
        // causes twice as many cache misses.
        let high = UInt64(bitPattern: prefix) &>> 4 &* 0x9E37_79B9_7F4A_7C15
        let mixed = (high ^ high &>> 29) &<< 4 | UInt64(bitPattern: prefix) & 15
        return Int(truncatingIfNeeded: mixed) & mask
    }

    /// The position of a prefix, or the free position for it.
    @inlinable @inline(__always)
    func directoryPlace(of prefix: Int64) -> Int {
        var place = home(prefix)
        while numbers[place] != 0, prefixes[place] != prefix { place = (place &+ 1) & mask }
        return place
    }

    /// Deletes with backward shifts, which need no tombstones, so look-ups stay short.
    private mutating func removeFromDirectory(_ prefix: Int64) {
        var hole = directoryPlace(of: prefix)
        var place = (hole &+ 1) & mask
        while numbers[place] != 0 {
            let distanceFromHome = (place &- home(prefixes[place])) & mask
            if distanceFromHome >= (place &- hole) & mask {
                prefixes[hole] = prefixes[place]
                numbers[hole] = numbers[place]
                hole = place
            }
            place = (place &+ 1) & mask
        }
        numbers[hole] = 0
    }

    private mutating func growDirectory(for groups: Int) {
        let (oldPrefixes, oldNumbers, oldMask) = (prefixes, numbers, mask)
        var capacity = mask + 1
        while groups * 2 >= capacity { capacity *= 2 }
        prefixes = .allocate(capacity: capacity)
        numbers = .allocate(capacity: capacity)
        numbers.initialize(repeating: 0, count: capacity)
        mask = capacity - 1
        for index in 0...oldMask where oldNumbers[index] != 0 {
            let place = directoryPlace(of: oldPrefixes[index])
            prefixes[place] = oldPrefixes[index]
            numbers[place] = oldNumbers[index]
        }
        oldPrefixes.deallocate()
        oldNumbers.deallocate()
    }
}
