import CoreDataModel
import CoreDataPredicate

extension StoreTag {
    /// Replaces the ids in a predicate by the store's untagged keys. Ids of other stores match no
    /// row.
    func stored(_ predicate: NSPredicate) -> NSPredicate {
        predicate.mappingConstants { stored(constant: $0) }
    }

    private func stored(constant: Any) -> Any {
        if let members = constant as? [Any] { return members.map { stored(constant: $0) } }
        guard let key = (constant as? any ObjectIdentifying)?.objectKey, key.entity >= 0 else {
            return constant
        }
        return isOf(key) ? stored(key) : ObjectKey(entity: -1, key: 0)
    }

    func stored(_ value: Value) -> Value {
        guard case .reference(let key) = value else { return value }
        return .reference(stored(key))
    }

    func stored(_ keys: ContiguousArray<Int64>) -> ContiguousArray<Int64> {
        ContiguousArray(keys.lazy.map { stored($0) })
    }
}

extension SavePlan {
    func stored(by tag: StoreTag) -> SavePlan {
        var plan = self
        plan.inserts = inserts.map { insert in
            var values: ContiguousArray<Value> = []
            values.reserveCapacity(insert.keys.count * insert.entity.values.count)
            for row in insert.keys.indices {
                for slot in insert.entity.values.indices {
                    values.append(tag.stored(insert.value(row, slot)))
                }
            }
            return Insert(entity: insert.entity, keys: tag.stored(insert.keys), values: values)
        }
        for index in plan.updates.indices {
            plan.updates[index].keys = tag.stored(updates[index].keys)
            plan.updates[index].values = ContiguousArray(
                updates[index].values.lazy.map { tag.stored($0) })
        }
        for index in plan.deletes.indices {
            plan.deletes[index].keys = tag.stored(deletes[index].keys)
        }
        plan.locks = locks.map {
            Lock(entity: $0.entity, key: tag.stored($0.key), version: $0.version)
        }
        plan.memberships = memberships.map { membership in
            Membership(
                entity: membership.entity, slot: membership.slot,
                owner: tag.stored(membership.owner), added: membership.added.map(tag.stored),
                removed: membership.removed.map(tag.stored),
                order: membership.order.map { $0.map(tag.stored) })
        }
        return plan
    }
}
