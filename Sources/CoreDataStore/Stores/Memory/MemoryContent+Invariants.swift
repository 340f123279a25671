import CoreDataModel

// What the content of a store in memory promises, looked at as a whole.
extension MemoryContent {
    /// Called where a plan was applied, by whoever has the content. Looks at small contents alone.
    @inline(__always)
    package func checkInvariants() {
        assert(
            rows.reduce(0) { $0 + $1.count } > 256 || brokenInvariant() == nil,
            brokenInvariant() ?? "")
    }

    /// The first promise that is broken, or nil. Looks at every row.
    package func brokenInvariant() -> String? {
        for (root, family) in rows.enumerated() {
            for (key, row) in family {
                let entity = layout[row.entity]
                if entity.rootIndex != root {
                    return "\(entity.name) \(key) stands in the table of another root."
                }
                if row.values.count != entity.values.count
                    || row.members.count != entity.toMany.count
                {
                    return "\(entity.name) \(key) has not the slots of its entity."
                }
                if key > lastKey {
                    return "\(entity.name) \(key) has a key that was not given out."
                }
                if graves.contains(ObjectKey(entity: root, key: key)) {
                    return "\(entity.name) \(key) is there, and counts as gone."
                }
            }
        }
        return nil
    }

    /// Whether each list has the new rows that lead to its owner. Looks at small groups alone,
    /// because a list is searched for each row.
    func hasLinks(of plan: SavePlan) -> Bool {
        for group in plan.inserts where group.keys.count <= 64 {
            for key in group.keys {
                let key = ObjectKey(entity: group.entity.index, key: key)
                guard group.entity.values.indices.allSatisfy({ isListed(key, $0) }) else {
                    return false
                }
            }
        }
        return true
    }

    private func isListed(_ key: ObjectKey, _ slot: Int) -> Bool {
        guard let list = list(key, slot), let owner = row(list.owner) else { return true }
        return owner.members[list.slot].contains { $0.key == key.key }
    }
}
