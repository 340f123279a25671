import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Runs one history request, on the context's queue: queries each store, converts the transactions,
/// and builds the result.
struct HistoryExecution {
    let context: NSManagedObjectContext
    let request: NSPersistentHistoryChangeRequest

    func run() throws(CoreDataError) -> NSPersistentStoreResult {
        guard let coordinator = context.persistentStoreCoordinator else {
            throw CoreDataError(
                .storeOperation,
                "The context has no coordinator to read history from. Set"
                    + " persistentStoreCoordinator first.")
        }
        let stores = (request.affectedStores ?? coordinator.persistentStores).filter {
            ($0.keyed as? any HistoryStore)?.tracksHistory == true
        }
        switch request.range {
        case .before, .beforeDate:
            context.emit(.called("deleteHistory(before:)"))
            return try delete(in: stores)
        case .after, .afterDate, .matching:
            context.emit(.readsHistory)
            return try fetch(from: stores)
        }
    }

    // MARK: Deleting

    private func delete(
        in stores: [NSPersistentStore]
    ) throws(CoreDataError) -> NSPersistentStoreResult {
        var count = 0
        for store in stores {
            guard let history = store.keyed as? any HistoryStore,
                let range = try range(in: history)
            else { continue }
            count += try history.deleteTransactions(range)
        }
        let result: Any = request.resultType == .count ? count : true
        return NSPersistentHistoryResult(result: result, resultType: request.resultType)
    }

    private func range(in store: any HistoryStore) throws(CoreDataError) -> HistoryRange? {
        switch request.range {
        case .matching: return .all
        case .afterDate(let date): return .afterDate(date.timeIntervalSinceReferenceDate)
        case .beforeDate(let date): return .beforeDate(date.timeIntervalSinceReferenceDate)
        case .before(let token):
            return token?.numbers[store.identifier].map { .before(number: $0) }
        case .after(let token):
            guard let number = token?.numbers[store.identifier] else { return .all }
            try checkKnown(number, in: store)
            return .after(number: number)
        }
    }

    /// Throws an error if transactions after the token have been deleted.
    private func checkKnown(_ number: Int64, in store: any HistoryStore) throws(CoreDataError) {
        let last = try store.lastTransactionNumber()
        // A damaged file or token may contain `Int64.max`, so the additions wrap around.
        let first = try store.firstTransactionNumber() ?? last &+ 1
        guard number > last || number &+ 1 < first else { return }
        throw CoreDataError(
            .historyTokenExpired,
            "The history token is older than the store's remaining history. Read everything"
                + " again and continue from currentPersistentHistoryToken(fromStores:).")
    }

    // MARK: Fetching

    private func fetch(
        from stores: [NSPersistentStore]
    ) throws(CoreDataError) -> NSPersistentStoreResult {
        let filter = try HistoryFilter(request.fetchRequest)
        let type = request.resultType
        let wantsChanges =
            filter.isForChanges || ![.transactionsOnly, .count, .statusOnly].contains(type)
        var found: [NSPersistentHistoryTransaction] = []
        for store in stores {
            guard let history = store.keyed as? any HistoryStore,
                let range = try range(in: history)
            else { continue }
            for values in try history.transactions(range, withChanges: wantsChanges) {
                guard try filter.accepts(values, of: store.identifier) else { continue }
                var kept: [NSPersistentHistoryChange]?
                if wantsChanges {
                    var listed: [NSPersistentHistoryChange] = []
                    for change in values.changes {
                        let made = self.change(change, store)
                        if try filter.accepts(made) { listed.append(made) }
                    }
                    if filter.isForChanges, listed.isEmpty { continue }
                    kept = listed
                }
                found.append(
                    NSPersistentHistoryTransaction(
                        values, store: store.identifier, changes: kept))
            }
        }
        if stores.count > 1 { found.sort { $0.timestamp < $1.timestamp } }
        return result(found, type)
    }

    private func result(
        _ found: [NSPersistentHistoryTransaction], _ type: NSPersistentHistoryResultType
    ) -> NSPersistentHistoryResult {
        let changes = found.flatMap { $0.changes ?? [] }
        let value: Any =
            switch type {
            case .statusOnly: true
            case .count: found.count
            case .objectIDs: changes.map(\.changedObjectID)
            case .transactionsOnly, .transactionsAndChanges: found
            case .changesOnly: changes
            }
        return NSPersistentHistoryResult(result: value, resultType: type, transactions: found)
    }

    private func change(
        _ change: HistoryChange, _ store: NSPersistentStore
    ) -> NSPersistentHistoryChange {
        let binding = context.binding
        let entity = binding.description(at: Int(change.key.entity))
        let id = NSManagedObjectID(
            key: change.key, entity: entity, layout: binding.layout[Int(change.key.entity)],
            store: store)
        let byName = entity.propertiesByName
        var tombstone: [String: Any] = [:]
        for kept in change.tombstone {
            tombstone[kept.name] = AttributeCoding.object(from: kept.value, kind: kept.kind)
        }
        return NSPersistentHistoryChange(
            id: id, number: change.number,
            type: NSPersistentHistoryChangeType(rawValue: change.kind.rawValue) ?? .update,
            properties: change.kind == .update
                ? Set(
                    change.properties.compactMap { name in
                        // A change of an element is reported as a change of its composite
                        // attribute.
                        byName[name] ?? byName[String(name.prefix { $0 != "." })]
                    }) : nil,
            tombstone: tombstone.isEmpty ? nil : tombstone)
    }
}
