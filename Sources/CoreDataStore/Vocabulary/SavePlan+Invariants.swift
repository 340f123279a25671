import CoreDataModel

extension SavePlan {
    package var rowCount: Int {
        inserts.reduce(0) { $0 + $1.keys.count } + updates.reduce(0) { $0 + $1.keys.count }
    }

    /// Asserts the invariants of a plan that is about to be written. Checks only small plans,
    /// because the check of a large plan would take as long as writing it.
    @inline(__always)
    package func checkInvariants() {
        assert(rowCount > 256 || brokenInvariant() == nil, brokenInvariant() ?? "")
    }

    /// The first broken invariant, or nil. Reads every key.
    package func brokenInvariant() -> String? {
        for update in updates {
            if let broken = update.brokenInvariant() { return broken }
        }
        for delete in deletes {
            if let broken = delete.brokenInvariant() { return broken }
        }
        for insert in inserts where insert.keys.contains(where: { $0 <= 0 }) {
            return "A new \(insert.entity.name) has no permanent key."
        }
        for change in memberships where !change.entity.toMany.indices.contains(change.slot) {
            return "\(change.entity.name) has no to-many slot \(change.slot)."
        }
        return repeatedRow()
    }

    private func repeatedRow() -> String? {
        var seen: Set<ObjectKey> = []
        let groups: [(EntityLayout, ContiguousArray<Int64>)] =
            inserts.map { ($0.entity, $0.keys) } + updates.map { ($0.entity, $0.keys) }
            + deletes.map { ($0.entity, $0.keys) }
        for (entity, keys) in groups {
            for key in keys {
                let row = ObjectKey(entity: entity.rootIndex, key: key)
                guard seen.insert(row).inserted else {
                    return "The plan writes \(entity.name) \(key) twice."
                }
            }
        }
        return nil
    }
}

extension SavePlan.Update {
    /// The first broken invariant, or nil. Reads no row.
    package func brokenInvariant() -> String? {
        if keys.count != versions.count {
            return "A changed \(entity.name) lacks the expected version of its row."
        }
        if values.count != keys.count * slots.count {
            return "A changed \(entity.name) does not have one value for each changed slot."
        }
        if values.contains(where: { $0.isObject }) {
            return "A value of \(entity.name) is an object instead of the object's bytes."
        }
        let isOwn = slots.allSatisfy { entity.values.indices.contains($0) }
        if !isOwn || Set(slots).count != slots.count {
            return "The changed slots of \(entity.name) contain a slot twice, or an unknown slot."
        }
        return nil
    }
}

extension SavePlan.Delete {
    /// The first broken invariant, or nil. Reads no row.
    package func brokenInvariant() -> String? {
        keys.count == versions.count
            ? nil : "A deleted \(entity.name) lacks the expected version of its row."
    }
}
