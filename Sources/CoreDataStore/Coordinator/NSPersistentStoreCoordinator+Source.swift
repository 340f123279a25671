import CoreDataModel
import CoreDataTrace
import Foundation

extension NSPersistentStoreCoordinator: CachedRowReading {
    package var modelLayout: ModelLayout { frozenModel.layout }

    package func store(for entity: EntityLayout, key: Int64) -> NSPersistentStore? {
        storeIfAny(for: entity, key: key)
    }

    package func reader(for entity: EntityLayout) throws(CoreDataError) -> any StoreReading {
        try faultPoints.reach(.read)
        let stores = stores(of: entity)
        if stores.count > 1 {
            return JoinedStores(stores.map { ($0.tag, $0.keyed) }, layout: modelLayout)
        }
        if let only = stores.first { return only.keyed }
        throw noStore(for: entity)
    }
}

extension NSPersistentStoreCoordinator {
    /// The result of writing a plan. If the plan was not committed, no part of it was written.
    package enum WriteResult {
        case committed(Receipt)
        case conflicts([Conflict])
        case constraintViolations([ConstraintViolation])
        /// Nothing was written; the save may succeed if it is repeated.
        case refused(CoreDataError)
    }

    /// The results of a committed save: facts that only the stores know.
    package struct Receipt {
        /// Rows with values that a store has computed; the row cache has dropped them.
        package fileprivate(set) var computed: [ObjectKey] = []
        /// The number of the save's transaction in the history of each store, by the store's UUID.
        fileprivate var transactions: [String: Int64] = [:]

        /// The save's position in the histories; nil if no store keeps a history.
        package var historyToken: NSPersistentHistoryToken? {
            transactions.isEmpty ? nil : NSPersistentHistoryToken(numbers: transactions)
        }
    }

    /// A row whose version is not the one that the saving context has read.
    package struct Conflict {
        package let key: ObjectKey
        package let expectedVersion: Int32
        /// The comparison of versions that found the conflict.
        package let site: Site
        /// The row in the row cache; nil if the row is not cached.
        package let cached: RowReference?
        /// The row in the store, if it was read; nil if it does not exist.
        package let persisted: RowReference?

        package enum Site: Sendable { case rowCache, store }

        /// The newest known row; nil if the row was deleted.
        package var current: RowReference? { site == .rowCache ? cached : persisted }
    }

    /// Compares the versions in a plan with those of the row cache and of the stores, and writes
    /// the plan.
    ///
    /// Runs one transaction for each affected store; on success the row cache contains the new
    /// rows.
    ///
    /// - Parameters:
    ///   - rows: the new rows, which are added to the row cache.
    ///   - generation: the query generation of the saving context.
    package func write(
        _ plan: SavePlan, rows: [RowBlock], deleted: [ObjectKey],
        in generation: QueryGeneration? = nil
    ) throws(CoreDataError) -> WriteResult {
        let result = try writeLocked(plan, rows: rows, deleted: deleted, in: generation)
        if StoreWrites.isUsed, case .committed = result, !plan.isEmpty {
            StoreWrites.noteWritten(try split(plan).map(\.0))
        }
        return result
    }

    private func writeLocked(
        _ plan: SavePlan, rows: [RowBlock], deleted: [ObjectKey], in generation: QueryGeneration?
    ) throws(CoreDataError) -> WriteResult {
        assert(
            rows.reduce(0) { $0 + $1.count } == plan.rowCount,
            "the new rows are not those of the plan")
        assert(deleted.count == plan.deletes.reduce(0) { $0 + $1.keys.count })
        plan.checkInvariants()
        try faultPoints.reach(.write)
        enterWriting()
        defer { leaveWriting() }
        // A transaction that has read earlier rows cannot write onto the newer ones, so the merge
        // policy does not receive them.
        let isHeld = persistentStores.contains { generation?.writer(of: $0) != nil }
        let stale = isHeld ? [] : conflictsWithRowCache(plan)
        if !stale.isEmpty, !mutant(.ignoreRowConflicts) { return .conflicts(stale) }
        var committed = 0
        var receipt = Receipt()
        for (store, part) in try split(plan) {
            do throws(CoreDataError) {
                switch try (generation?.writer(of: store) ?? store.keyed).save(part) {
                case .committed(let rows, let transaction):
                    committed += 1
                    receipt.computed += rows
                    receipt.transactions[store.backend.identifier] = transaction
                case .conflicts(let conflicts):
                    if committed > 0 { throw Self.conflictAfterCommit(conflicts.map(\.key)) }
                    assert(!conflicts.isEmpty, "the store reported conflicts without a row")
                    return .conflicts(self.conflicts(of: conflicts))
                case .constraintViolations(let violations):
                    if committed > 0 {
                        throw Self.conflictAfterCommit(violations.flatMap(\.planned))
                    }
                    assert(!violations.isEmpty, "the store reported violations without a row")
                    return .constraintViolations(violations)
                case .refused(let reason):
                    let refusal = refusedSave(store, because: reason)
                    if committed > 0 { throw refusal }
                    return .refused(refusal)
                case .superseded(let reason): throw supersededSave(store, because: reason)
                case .unknown(let reason):
                    throw unknownSave(store, because: reason)
                }
            } catch {
                throw committed == 0 ? error : incompleteSave(store, because: error)
            }
        }
        try faultPoints.reach(.committed)
        if mutant(.rowCacheMissesSaves) { return .committed(receipt) }
        rowCache.commit(rows, deleted: mutant(.rowCacheKeepsDeletedRows) ? [] : deleted)
        if !receipt.computed.isEmpty { rowCache.invalidate(receipt.computed) }
        return .committed(receipt)
    }

    package func writeMetadata(of store: NSPersistentStore) throws(CoreDataError) {
        switch try store.backend.save(SavePlan()) {
        case .refused(let reason): throw refusedSave(store, because: reason)
        case .superseded(let reason): throw supersededSave(store, because: reason)
        case .unknown(let reason): throw unknownSave(store, because: reason)
        case .committed, .conflicts, .constraintViolations: return
        }
    }

    /// Waits until no other thread writes. Calls may be nested.
    ///
    /// The trace records the wait before it begins, because the lab's scheduler must know the lock
    /// that a thread waits for.
    final func enterWriting() {
        if trace.isOn { trace.record(.wait(resource: "coordinator")) }
        saveLock.lock()
    }

    /// Begins a write like ``enterWriting()`` if no other thread writes.
    final func tryWriting() -> Bool {
        if trace.isOn { trace.record(.attempt(resource: "coordinator")) }
        guard saveLock.try() else { return false }
        if trace.isOn { trace.record(.acquire(resource: "coordinator")) }
        return true
    }

    final func leaveWriting() {
        saveLock.unlock()
        if trace.isOn { trace.record(.release(resource: "coordinator")) }
    }

    private func conflicts(of found: [RowConflict]) -> [Conflict] {
        let cached = found.map { rowCache.row($0.key) }
        // The cached rows are removed first. If a row was deleted and created again, the store's
        // row is newer but has a lower version.
        rowCache.invalidate(found.map(\.key))
        var last: RowBlock?
        for row in found {
            // Rows that were read together are in one block.
            guard let block = row.persisted?.block, block !== last else { continue }
            rowCache.insert(current: block)
            last = block
        }
        return zip(found, cached).map { row, cached in
            Conflict(
                key: row.key, expectedVersion: row.expectedVersion, site: .store, cached: cached,
                persisted: row.persisted)
        }
    }

    /// Compares the context's versions with those of the row cache. The stores compare theirs
    /// later.
    private func conflictsWithRowCache(_ plan: SavePlan) -> [Conflict] {
        var conflicts: [Conflict] = []
        func check(
            _ entity: EntityLayout, _ keys: ContiguousArray<Int64>,
            _ versions: ContiguousArray<Int32>
        ) {
            // A cached row may be older than the context's row. Then only the store compares the
            // versions.
            for place in rowCache.places(ofOlder: versions, keys, entity) {
                let key = ObjectKey(entity: entity.index, key: keys[place])
                guard let cached = rowCache.row(key) else { continue }
                conflicts.append(
                    Conflict(
                        key: key, expectedVersion: versions[place], site: .rowCache,
                        cached: cached, persisted: nil))
            }
        }
        for update in plan.updates { check(update.entity, update.keys, update.versions) }
        for delete in plan.deletes { check(delete.entity, delete.keys, delete.versions) }
        for lock in plan.locks { check(lock.entity, [lock.key], [lock.version]) }
        return conflicts
    }
}
