import CoreDataModel
import CoreDataPredicate

/// Adds a tag to the keys of a store, because another store of the coordinator contains the same
/// entity.
///
/// It removes the tag from the keys in requests and adds it to the keys in results.
final class TaggedStore: ObjectStore {
    private let store: any ObjectStore
    private let layout: ModelLayout
    private let tag: StoreTag

    init(_ store: any ObjectStore, layout: ModelLayout, tag: StoreTag) {
        self.store = store
        self.layout = layout
        self.tag = tag
    }

    var identifier: String { store.identifier }
    var metadata: [String: any Sendable] { store.metadata }

    func setMetadata(_ metadata: [String: any Sendable]) throws(CoreDataError) {
        try store.setMetadata(metadata)
    }

    var traits: StoreTraits { store.traits }
    var isReadOnly: Bool { store.isReadOnly }

    func holdState() throws(CoreDataError) -> (any ObjectStore)? {
        guard let state = try store.holdState() else { return nil }
        return TaggedStore(state, layout: layout, tag: tag)
    }

    func close() { store.close() }

    // MARK: Reading

    func fetchRows(_ plan: FetchPlan, generation: UInt64) throws(CoreDataError) -> FetchedRows {
        try tagged(try store.fetchRows(stored(plan), generation: generation))
    }

    func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        try tagged(try store.fetchKeys(stored(plan)))
    }

    func count(_ plan: FetchPlan) throws(CoreDataError) -> Int { try store.count(stored(plan)) }

    func row(_ key: ObjectKey, generation: UInt64) throws(CoreDataError) -> RowReference? {
        try tagged(try store.row(tag.stored(key), generation: generation))
    }

    func rows(
        _ keys: ContiguousArray<Int64>, entity: EntityLayout, generation: UInt64
    ) throws(CoreDataError) -> FetchedRows {
        try tagged(
            try store.rows(tag.stored(keys), entity: entity, generation: generation))
    }

    func destinations(
        of owner: ObjectKey, slot: Int
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        try tagged(try store.destinations(of: tag.stored(owner), slot: slot))
    }

    func destinations(
        ofAll owners: ContiguousArray<Int64>, entity: EntityLayout, slot: Int, generation: UInt64
    ) throws(CoreDataError) -> FetchedDestinations {
        let found = try store.destinations(
            ofAll: tag.stored(owners), entity: entity, slot: slot, generation: generation)
        var members = found.members
        if case .keys(let keys, let counts) = members {
            members = .keys(try tagged(keys), counts: counts)
        }
        return FetchedDestinations(members: members, rows: try tagged(found.rows))
    }

    // MARK: Writing

    func reserveKeys(_ count: Int, for entity: EntityLayout) throws(CoreDataError) -> Int64 {
        let first = try store.reserveKeys(count, for: entity)
        _ = try tag.tagged(first + Int64(count))
        return try tag.tagged(first)
    }

    func save(_ plan: SavePlan) throws(CoreDataError) -> SaveOutcome {
        switch try store.save(plan.stored(by: tag)) {
        case .committed(let computed, let transaction):
            return .committed(
                computed: Array(try tagged(ContiguousArray(computed))), transaction: transaction)
        case .conflicts(let conflicts):
            var found: [RowConflict] = []
            for conflict in conflicts {
                found.append(
                    RowConflict(
                        key: try tag.tagged(conflict.key),
                        expectedVersion: conflict.expectedVersion,
                        persisted: try tagged(conflict.persisted)))
            }
            return .conflicts(found)
        case .constraintViolations(let violations):
            var found: [ConstraintViolation] = []
            for violation in violations {
                found.append(
                    ConstraintViolation(
                        entity: violation.entity, constraint: violation.constraint,
                        planned: Array(try tagged(ContiguousArray(violation.planned))),
                        persisted: try tagged(violation.persisted)))
            }
            return .constraintViolations(found)
        case .refused(let reason): return .refused(reason)
        case .superseded(let reason): return .superseded(reason)
        case .unknown(let reason): return .unknown(reason)
        }
    }

    // MARK: Tags

    private static func unsupported(_ what: String) -> CoreDataError {
        CoreDataError(.storeUnsupportedRequest, "This type of store does not answer \(what).")
    }

    private func stored(_ plan: FetchPlan) -> FetchPlan {
        var stored = plan
        stored.predicate = plan.predicate.map(tag.stored)
        return stored
    }

    private func tagged(
        _ keys: ContiguousArray<ObjectKey>
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        var result: ContiguousArray<ObjectKey> = []
        result.reserveCapacity(keys.count)
        for key in keys { result.append(try tag.tagged(key)) }
        return result
    }

    private func tagged(_ row: RowReference?) throws(CoreDataError) -> RowReference? {
        guard let row else { return nil }
        var builder = RowBlockBuilder(capacity: 256)
        try copy(row.cells, layout[RowFormat.entity(row.cells)], into: &builder)
        let block = builder.finish(
            generation: row.block.generation, timestamp: row.block.timestamp)
        return RowReference(block: block, index: 0)
    }

    private func tagged(_ rows: FetchedRows) throws(CoreDataError) -> FetchedRows {
        var blocks: [RowBlock] = []
        for block in rows.blocks {
            var builder = RowBlockBuilder()
            for index in 0..<block.count {
                let cells = block.cells(at: index)
                try copy(cells, layout[RowFormat.entity(cells)], into: &builder)
            }
            blocks.append(
                builder.finish(generation: block.generation, timestamp: block.timestamp))
        }
        return FetchedRows(blocks: blocks)
    }

    private func copy(
        _ cells: UnsafeRawPointer, _ entity: EntityLayout, into builder: inout RowBlockBuilder
    ) throws(CoreDataError) {
        builder.copyRow(cells, of: entity, key: try tag.tagged(RowFormat.key(cells)))
        for slot in entity.values.indices where entity.isToOne(slot) {
            guard !RowFormat.isNull(cells, slot: slot) else { continue }
            let destination = ObjectKey(packed: RowFormat.word(cells, slot: slot))
            builder.set(slot, reference: try tag.tagged(destination))
        }
    }
}

extension TaggedStore: TableStore {
    func fetchTable(
        _ plan: FetchPlan, _ table: TablePlan
    ) throws(CoreDataError) -> FetchedTable {
        guard let store = store as? any TableStore else {
            throw Self.unsupported("fetches of dictionaries")
        }
        var found = try store.fetchTable(stored(plan), table)
        for index in found.values.indices {
            guard case .reference(let key) = found.values[index] else { continue }
            found.values[index] = .reference(try tag.tagged(key))
        }
        return found
    }
}

extension TaggedStore: BatchStore {
    func run(_ batch: BatchPlan, origin: WriteOrigin) throws(CoreDataError) -> BatchOutcome {
        guard let store = store as? any BatchStore else {
            throw Self.unsupported("batch requests")
        }
        let outcome = try store.run(stored(batch), origin: origin)
        return BatchOutcome(
            keys: try tagged(outcome.keys),
            computed: Array(try tagged(ContiguousArray(outcome.computed))))
    }

    private func stored(_ batch: BatchPlan) -> BatchPlan {
        switch batch {
        case .insert: batch
        case .update(let update):
            .update(.init(plan: stored(update.plan), assignments: update.assignments))
        case .delete(let delete):
            .delete(
                .init(
                    plan: stored(delete.plan),
                    keys: delete.keys.map(tag.stored)))
        }
    }
}

extension TaggedStore: HistoryStore {
    private var history: (any HistoryStore)? { store as? any HistoryStore }

    var tracksHistory: Bool { history?.tracksHistory ?? false }

    func lastTransactionNumber() throws(CoreDataError) -> Int64 {
        try history?.lastTransactionNumber() ?? 0
    }

    func firstTransactionNumber() throws(CoreDataError) -> Int64? {
        try history?.firstTransactionNumber()
    }

    func transactions(
        _ range: HistoryRange, withChanges: Bool
    ) throws(CoreDataError) -> [HistoryTransaction] {
        var found = try history?.transactions(range, withChanges: withChanges) ?? []
        for index in found.indices {
            var changes: [HistoryChange] = []
            for change in found[index].changes {
                changes.append(
                    HistoryChange(
                        number: change.number, kind: change.kind, key: try tag.tagged(change.key),
                        properties: change.properties, tombstone: change.tombstone))
            }
            found[index].changes = changes
        }
        return found
    }

    func deleteTransactions(_ range: HistoryRange) throws(CoreDataError) -> Int {
        try history?.deleteTransactions(range) ?? 0
    }
}
