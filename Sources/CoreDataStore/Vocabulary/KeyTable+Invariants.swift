extension KeyTable {
    /// The first broken invariant, or nil. Reads the whole directory. Called under the lock of the
    /// table's owner.
    package func brokenInvariant() -> String? {
        if (mask + 1) & mask != 0 { return "The directory's size is not a power of two." }
        if groupCount * 2 > mask { return "The directory is more than half full." }
        if groupsUsed > groupCapacity { return "More groups are in use than the table can hold." }
        if let broken = brokenDirectory() { return broken }
        return brokenFreeList()
    }

    private func brokenDirectory() -> String? {
        var entryCount = 0
        var seen: Set<Int32> = []
        for place in 0...mask where numbers[place] != 0 {
            let number = Int(numbers[place])
            guard number > 0, number < groupsUsed, seen.insert(numbers[place]).inserted else {
                return "The directory names the group \(number) twice, or it is not in use."
            }
            if directoryPlace(of: prefixes[place]) != place {
                return "The group \(number) is not found by its prefix."
            }
            var filled = 0
            let start = number * Self.groupSize
            for index in start..<start + Self.groupSize where entries[index] != nil { filled += 1 }
            if filled == 0 { return "The group \(number) is empty but in use." }
            entryCount += filled
        }
        if seen.count != groupCount {
            return "The table counts \(groupCount) groups, but its directory has \(seen.count)."
        }
        if entryCount != count {
            return "The table counts \(count) entries, but has \(entryCount)."
        }
        if lastNumber != 0, Int(numbers[directoryPlace(of: lastPrefix)]) != lastNumber {
            return "The group that was found last is not in the directory."
        }
        return nil
    }

    /// Checks that each group is either in use or free.
    private func brokenFreeList() -> String? {
        var free = freeGroup
        var left = groupsUsed - 1 - groupCount
        while free != 0 {
            guard free > 0, free < groupsUsed, left > 0 else {
                return "The list of free groups contains a group that is not free."
            }
            left -= 1
            free = Int(bitPattern: entries[free * Self.groupSize])
        }
        return left == 0 ? nil : "\(left) groups are neither in use nor free."
    }

    /// Calls the body with each key and its entry. The body must not change the table.
    package func forEachKey(_ body: (Int64, UnsafeMutableRawPointer) -> Void) {
        for place in 0...mask where numbers[place] != 0 {
            let first = prefixes[place] &<< Self.groupShift
            let start = Int(numbers[place]) * Self.groupSize
            for index in 0..<Self.groupSize {
                if let entry = entries[start + index] { body(first + Int64(index), entry) }
            }
        }
    }
}
