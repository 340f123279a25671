import CoreDataModel

extension MemoryContent {
    /// Asserts the invariants after a plan was applied. Checks only small contents.
    @inline(__always)
    package func checkInvariants() {
        assert(
            rows.reduce(0) { $0 + $1.count } > 256 || brokenInvariant() == nil,
            brokenInvariant() ?? "")
    }

    /// The first broken invariant, or nil. Reads every row.
    package func brokenInvariant() -> String? {
        for (root, family) in rows.enumerated() {
            for (key, row) in family {
                let entity = layout[row.entity]
                if entity.rootIndex != root {
                    return "\(entity.name) \(key) is in the table of another root."
                }
                if row.values.count != entity.values.count
                    || row.members.count != entity.toMany.count
                {
                    return "\(entity.name) \(key) does not have the slots of its entity."
                }
                if key > lastKey {
                    return "\(entity.name) \(key) has a key that was never assigned."
                }
                if graves.contains(ObjectKey(entity: root, key: key)) {
                    return "\(entity.name) \(key) exists, but is recorded as deleted."
                }
            }
        }
        return nil
    }

    /// Whether every new row is in the lists of the owners to which it refers. Checks only small
    /// groups, because each row needs a search in a list.
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
