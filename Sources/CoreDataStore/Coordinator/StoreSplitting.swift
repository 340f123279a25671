import CoreDataModel
import Foundation

/// Divides a save among the stores of a coordinator. A coordinator with one store usually skips
/// this work.
extension NSPersistentStoreCoordinator {
    /// The plan divided by store. Usually only one store is affected.
    ///
    /// - Throws: 133010 if rows of two stores would refer to each other.
    package func split(_ plan: SavePlan) throws(CoreDataError) -> [(NSPersistentStore, SavePlan)] {
        let all = persistentStores
        if all.count == 1,
            plan.isEmpty || all[0].entityIndexes.count == frozenModel.layout.entities.count
        {
            return [(all[0], plan)]
        }
        try checkReferences(of: plan)
        var parts: [(store: NSPersistentStore, plan: SavePlan)] = all.map { ($0, SavePlan()) }
        for insert in plan.inserts {
            for (store, part) in try divided(insert.entity, insert.keys, in: all) {
                parts[store].plan.inserts.append(insert.rows(part))
            }
        }
        for update in plan.updates {
            for (store, part) in try divided(update.entity, update.keys, in: all) {
                parts[store].plan.updates.append(update.rows(part))
            }
        }
        for delete in plan.deletes {
            for (store, part) in try divided(delete.entity, delete.keys, in: all) {
                parts[store].plan.deletes.append(delete.rows(part))
            }
        }
        for lock in plan.locks {
            parts[try index(of: lock.entity, lock.key, in: all)].plan.locks.append(lock)
        }
        for membership in plan.memberships {
            let store = try index(of: membership.entity, membership.owner, in: all)
            parts[store].plan.memberships.append(membership)
        }
        for index in parts.indices { parts[index].plan.origin = plan.origin }
        assert(
            parts.reduce(0) { $0 + $1.plan.rowCount } == plan.rowCount,
            "the parts do not contain every row once")
        return parts.filter { !$0.plan.isEmpty || $0.store.takesEmptySaves }
            .map { ($0.store, $0.plan) }
    }

    private func index(
        of entity: EntityLayout, _ key: Int64, in stores: [NSPersistentStore]
    ) throws(CoreDataError) -> Int {
        let store = try requireStore(for: entity, key: key)
        // Safe: a registered store is in the list.
        return stores.firstIndex { $0 === store } ?? 0
    }

    /// Divides the rows of a group by store. The list of rows is nil if only one store keeps the
    /// entity, which is the usual case.
    private func divided(
        _ entity: EntityLayout, _ keys: ContiguousArray<Int64>, in all: [NSPersistentStore]
    ) throws(CoreDataError) -> [(store: Int, rows: [Int]?)] {
        guard stores(of: entity).count > 1 else {
            return [(try index(of: entity, -1, in: all), nil)]
        }
        var rows: [Int: [Int]] = [:]
        for (row, key) in keys.enumerated() {
            rows[try index(of: entity, key, in: all), default: []].append(row)
        }
        return rows.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // MARK: References

    private func checkReferences(of plan: SavePlan) throws(CoreDataError) {
        for insert in plan.inserts {
            for (row, key) in insert.keys.enumerated() {
                for slot in insert.entity.values.indices where insert.entity.isToOne(slot) {
                    try check(insert.value(row, slot), insert.entity, key, slot)
                }
            }
        }
        for update in plan.updates where !update.slots.isEmpty {
            let width = update.slots.count
            for (index, value) in update.values.enumerated() {
                let slot = update.slots[index % width]
                try check(value, update.entity, update.keys[index / width], slot)
            }
        }
        for membership in plan.memberships {
            let owner = ObjectKey(entity: membership.entity.index, key: membership.owner)
            let name = membership.entity.toMany[membership.slot].name
            for added in membership.added { try check(added, from: owner, by: name) }
        }
    }

    private func check(
        _ value: Value, _ entity: EntityLayout, _ key: Int64, _ slot: Int
    ) throws(CoreDataError) {
        guard case .reference(let destination) = value else { return }
        let owner = ObjectKey(entity: entity.index, key: key)
        try check(destination, from: owner, by: entity.values[slot].name)
    }

    private func check(
        _ destination: ObjectKey, from owner: ObjectKey, by name: String
    ) throws(CoreDataError) {
        let layouts = [owner, destination].map { frozenModel.layout[Int($0.entity)] }
        let stores = zip(layouts, [owner, destination]).map { storeIfAny(for: $0, key: $1.key) }
        guard stores[0] !== stores[1] else { return }
        throw CoreDataError(
            .externalRelationship,
            "'\(name)' relates a \(layouts[0].name) to a \(layouts[1].name) in another store."
                + " Keep both objects in one store, or store the other object's id.",
            objects: [owner, destination])
    }

    // MARK: Partial failures

    /// The error for a store that fails after other stores have committed their parts.
    func incompleteSave(
        _ failed: NSPersistentStore, because reason: CoreDataError
    ) -> CoreDataError {
        CoreDataError(
            .incompleteSave,
            "Other stores have saved their part, but \(failed.url?.lastPathComponent ?? "a store")"
                + " failed: \(reason.message)",
            objects: reason.objects,
            payload: .init(userInfo: [
                NSAffectedStoresErrorKey: [failed], NSUnderlyingErrorKey: reason.nsError,
            ]))
    }

    /// The error for a save that a store rolled back because of another transaction.
    func refusedSave(_ store: NSPersistentStore, because reason: String) -> CoreDataError {
        CoreDataError(
            .storeSave,
            "The store \(store.text) refused the save because \(reason). Nothing was written;"
                + " save again.",
            payload: .init(userInfo: [NSAffectedStoresErrorKey: [store]]))
    }

    /// The error for a save whose transaction cannot be committed because of another one.
    func supersededSave(_ store: NSPersistentStore, because reason: String) -> CoreDataError {
        .transactionRefused(store.text, because: reason, stores: [store])
    }

    /// The error for a save of which the store does not know whether it was committed. Also empties
    /// the row cache, because any of its rows may be outdated.
    func unknownSave(_ store: NSPersistentStore, because reason: String) -> CoreDataError {
        rowCache.removeAll()
        return CoreDataError(
            .storeSave,
            "It is not known whether the changes were saved in the store \(store.text),"
                + " because \(reason). Fetch the objects again, and repeat the changes that the"
                + " store does not have.",
            payload: .init(userInfo: [
                NSAffectedStoresErrorKey: [store], FaultlineSaveOutcomeUnknownErrorKey: true,
            ]))
    }

    /// The error for a conflict that no merge policy can resolve, because another store has already
    /// committed.
    static func conflictAfterCommit(_ keys: [ObjectKey]) -> CoreDataError {
        CoreDataError(.mergeConflict, "Could not merge changes.", objects: keys)
    }
}

extension CoreDataError {
    /// The error for a transaction of a pinned context that cannot be committed.
    ///
    /// - Parameter store: the store as text.
    package static func transactionRefused(
        _ store: String, because reason: String, stores: [NSPersistentStore] = []
    ) -> CoreDataError {
        var info: [String: Any] = [FaultlineTransactionRefusedErrorKey: true]
        if !stores.isEmpty { info[NSAffectedStoresErrorKey] = stores }
        return CoreDataError(
            .storeSave,
            "The transaction of the context in the store \(store) ended because \(reason). Nothing"
                + " was written. Roll back, pin the context to the current query generation, and"
                + " read again; performTransaction(attempts:_:) does so.",
            payload: .init(userInfo: info))
    }
}

extension NSPersistentStore {
    fileprivate var text: String { url?.withoutPassword ?? "'\(storeIdentifier)'" }
}
