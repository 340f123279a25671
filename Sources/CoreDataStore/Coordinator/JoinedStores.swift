import CoreDataModel
import CoreDataPredicate

/// Reads several stores that contain the same entity as if they were one store.
///
/// A fetch runs in each store, and the results are merged in the order of the sort descriptors.
/// Without descriptors, the rows are in the order of the stores. A sorted fetch runs one more
/// statement in each store, for the sort values.
final class JoinedStores: Sendable {
    typealias Part = (tag: StoreTag, store: any ObjectStore)

    private let stores: [Part]
    private let layout: ModelLayout

    /// - Parameter stores: the stores of the entity, in the order in which they were added.
    init(_ stores: [Part], layout: ModelLayout) {
        assert(stores.count > 1, "fewer than two stores are joined")
        self.stores = stores
        self.layout = layout
    }

    private func asked(_ plan: FetchPlan) -> [Part] {
        guard let identifiers = plan.storeIdentifiers else { return stores }
        return stores.filter { identifiers.contains($0.store.identifier) }
    }

    private func store(of key: Int64) throws(CoreDataError) -> any ObjectStore {
        let tag = StoreTag(of: key)
        if let found = stores.first(where: { $0.tag == tag }) { return found.store }
        throw CoreDataError(
            .storeOperation, "The store that kept the object is no longer in the coordinator.")
    }
}

extension JoinedStores: StoreReading {
    func fetchRows(_ plan: FetchPlan, generation: UInt64) throws(CoreDataError) -> FetchedRows {
        let isWhole = plan.sortDescriptors.isEmpty && plan.limit == 0 && plan.offset == 0
        guard isWhole else {
            let keys = try fetchKeys(plan)
            return try rows(
                ContiguousArray(keys.lazy.map(\.key)), entity: plan.entity, generation: generation)
        }
        var found = FetchedRows()
        for (_, store) in asked(plan) {
            found.blocks += try store.fetchRows(plan, generation: generation).blocks
        }
        return found
    }

    func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        var part = plan
        part.offset = 0
        part.limit = plan.limit == 0 ? 0 : plan.limit + plan.offset
        let keys = plan.sortDescriptors.isEmpty ? try unsorted(part) : try sorted(part)
        let rest = keys.dropFirst(plan.offset)
        return ContiguousArray(plan.limit == 0 ? rest : rest.prefix(plan.limit))
    }

    private func unsorted(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        var keys: ContiguousArray<ObjectKey> = []
        for (_, store) in asked(plan) { keys += try store.fetchKeys(plan) }
        return keys
    }

    private func sorted(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        let itself = TablePlan.Column(
            name: "self", expression: .expressionForEvaluatedObject(), kind: .toOne)
        let table = try fetchTable(plan, TablePlan(columns: [itself]))
        return ContiguousArray(
            table.values.lazy.compactMap { value in
                if case .reference(let key) = value { key } else { nil }
            })
    }

    func count(_ plan: FetchPlan) throws(CoreDataError) -> Int {
        var part = plan
        part.offset = 0
        part.limit = 0
        var count = 0
        for (_, store) in asked(plan) { count += try store.count(part) }
        count = max(0, count - plan.offset)
        return plan.limit == 0 ? count : min(count, plan.limit)
    }

    func row(_ key: ObjectKey, generation: UInt64) throws(CoreDataError) -> RowReference? {
        try store(of: key.key).row(key, generation: generation)
    }

    func rows(
        _ keys: ContiguousArray<Int64>, entity: EntityLayout, generation: UInt64
    ) throws(CoreDataError) -> FetchedRows {
        var found: [Int64: RowReference] = [:]
        for (tag, store) in stores {
            let own = ContiguousArray(keys.lazy.filter { StoreTag(of: $0) == tag })
            if own.isEmpty { continue }
            let rows = try store.rows(own, entity: entity, generation: generation)
            for row in rows.references { found[RowFormat.key(row.cells)] = row }
        }
        return rows(keys.compactMap { found[$0] }, generation)
    }

    func destinations(
        of owner: ObjectKey, slot: Int
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        try store(of: owner.key).destinations(of: owner, slot: slot)
    }

    func destinations(
        ofAll owners: ContiguousArray<Int64>, entity: EntityLayout, slot: Int, generation: UInt64
    ) throws(CoreDataError) -> FetchedDestinations {
        var found: [Int64: [ObjectKey]] = [:]
        var rows = FetchedRows()
        for (tag, store) in stores {
            let own = ContiguousArray(owners.lazy.filter { StoreTag(of: $0) == tag })
            if own.isEmpty { continue }
            let part = try store.destinations(
                ofAll: own, entity: entity, slot: slot, generation: generation)
            for (owner, members) in zip(own, part.keysByOwner) { found[owner] = members }
            rows.blocks += part.rows.blocks
        }
        return FetchedDestinations(members: .keys(owners.map { found[$0] ?? [] }), rows: rows)
    }

    /// Copies rows of several stores into blocks, in the given order.
    private func rows(_ rows: [RowReference], _ generation: UInt64) -> FetchedRows {
        var builder = RowBlockBuilder()
        var blocks: [RowBlock] = []
        let timestamp = rows.map(\.block.timestamp).min() ?? 0
        for (index, row) in rows.enumerated() {
            builder.copyRow(row.cells, of: layout[RowFormat.entity(row.cells)])
            if builder.isFull || index == rows.count - 1 {
                blocks.append(builder.finish(generation: generation, timestamp: timestamp))
            }
        }
        return FetchedRows(blocks: blocks)
    }
}

extension JoinedStores: TableStore {
    func fetchTable(
        _ plan: FetchPlan, _ table: TablePlan
    ) throws(CoreDataError) -> FetchedTable {
        let stores = asked(plan)
        if stores.count == 1 { return try Self.table(plan, table, stores[0].store) }
        guard table.groups.isEmpty, table.columns.allSatisfy({ $0.aggregate == nil }) else {
            throw CoreDataError(
                .unsupported,
                "'\(plan.entity.name)' is kept by \(stores.count) stores, which compute aggregates"
                    + " separately. Select one of them with affectedStores, or fetch objects.")
        }
        var wide = table
        for (index, descriptor) in plan.sortDescriptors.enumerated() {
            guard let key = descriptor.key else { continue }
            wide.columns.append(
                .init(name: "sorted\(index)", expression: NSExpression(forKeyPath: key), kind: nil))
        }
        var part = plan
        part.offset = 0
        part.limit = plan.limit == 0 ? 0 : plan.limit + plan.offset
        var parts: [FetchedTable] = []
        for (_, store) in stores { parts.append(try Self.table(part, wide, store)) }
        return try JoinedTables(parts, plan, shown: table.columns.count, table.isDistinct).table()
    }

    private static func table(
        _ plan: FetchPlan, _ table: TablePlan, _ store: any ObjectStore
    ) throws(CoreDataError) -> FetchedTable {
        if let store = store as? any TableStore { return try store.fetchTable(plan, table) }
        throw CoreDataError(
            .storeUnsupportedRequest,
            "One of the stores of '\(plan.entity.name)' does not support fetches of dictionaries.")
    }
}

/// Combines the tables of dictionary values that several stores return for one fetch.
private struct JoinedTables {
    private let parts: [FetchedTable]
    private let plan: FetchPlan
    /// The number of requested columns. The columns of the sort values follow them.
    private let shown: Int
    private let isDistinct: Bool

    init(_ parts: [FetchedTable], _ plan: FetchPlan, shown: Int, _ isDistinct: Bool) {
        self.parts = parts
        self.plan = plan
        self.shown = shown
        self.isDistinct = isDistinct
    }

    func table() throws(CoreDataError) -> FetchedTable {
        let kinds = parts[0].kinds
        var rows: [ArraySlice<Value>] = []
        for part in parts {
            let values = Array(part.values)
            for row in 0..<part.count {
                rows.append(values[row * kinds.count..<(row + 1) * kinds.count])
            }
        }
        try sort(&rows, kinds)
        var joined = FetchedTable(kinds: Array(kinds.prefix(shown)))
        var seen: [ArraySlice<Value>] = []
        var skipped = 0
        for row in rows {
            let values = row.prefix(shown)
            if isDistinct {
                if seen.contains(values) { continue }
                seen.append(values)
            }
            skipped += 1
            if skipped <= plan.offset { continue }
            joined.values += values
            if plan.limit > 0, joined.count == plan.limit { break }
        }
        return joined
    }

    private func sort(
        _ rows: inout [ArraySlice<Value>], _ kinds: [ValueKind]
    ) throws(CoreDataError) {
        guard !plan.sortDescriptors.isEmpty else { return }
        var failure: PredicateEvaluationError?
        let keyed = plan.sortDescriptors.filter { $0.key != nil }
        let order = rows.indices.sorted { left, right in
            do throws(PredicateEvaluationError) {
                for (column, descriptor) in keyed.enumerated() {
                    let place = shown + column
                    let result = try descriptor.compareValues(
                        value(rows[left], place, kinds), value(rows[right], place, kinds))
                    guard result != .orderedSame else { continue }
                    return (result == .orderedAscending) == descriptor.ascending
                }
            } catch { failure = failure ?? error }
            // Rows that compare as equal keep the order of their stores.
            return left < right
        }
        if let failure { throw CoreDataError(.invalidArgument, "\(failure)") }
        rows = order.map { rows[$0] }
    }

    private func value(
        _ row: ArraySlice<Value>, _ column: Int, _ kinds: [ValueKind]
    ) -> Operand {
        row[row.startIndex + column].operand(kinds[column])
    }
}
