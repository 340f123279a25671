import CoreDataModel
import CoreDataPredicate

/// Fetches evaluate their predicate for every row of the entity.
extension MemoryStore {
    package func fetchRows(
        _ plan: FetchPlan, generation: UInt64
    ) throws(CoreDataError) -> FetchedRows {
        let content = try content()
        return MemoryRowPacker(content, generation: generation).rows(try find(plan, in: content))
    }

    package func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        ContiguousArray(try find(plan, in: try content()))
    }

    package func count(_ plan: FetchPlan) throws(CoreDataError) -> Int {
        try find(plan, in: try content()).count
    }

    package func row(
        _ key: ObjectKey, generation: UInt64
    ) throws(CoreDataError) -> RowReference? {
        MemoryRowPacker(try content(), generation: generation).row(key)
    }

    package func rows(
        _ keys: ContiguousArray<Int64>, entity: EntityLayout, generation: UInt64
    ) throws(CoreDataError) -> FetchedRows {
        MemoryRowPacker(try content(), generation: generation)
            .rows(keys.map { ObjectKey(entity: entity.index, key: $0) })
    }

    package func destinations(
        of owner: ObjectKey, slot: Int
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        ContiguousArray(try content().members(of: owner, slot: slot))
    }

    package func destinations(
        ofAll owners: ContiguousArray<Int64>, entity: EntityLayout, slot: Int, generation: UInt64
    ) throws(CoreDataError) -> FetchedDestinations {
        let content = try content()
        let members = owners.map {
            content.members(of: ObjectKey(entity: entity.index, key: $0), slot: slot)
        }
        var seen: Set<Int64> = []
        let distinct = members.joined().filter { seen.insert($0.key).inserted }
        return FetchedDestinations(
            members: .keys(members),
            rows: MemoryRowPacker(content, generation: generation).rows(distinct))
    }

    private func find(
        _ plan: FetchPlan, in content: MemoryContent
    ) throws(CoreDataError) -> [ObjectKey] {
        do throws(PredicateEvaluationError) {
            let rest = try views(plan, in: content).dropFirst(plan.offset)
            return (plan.limit > 0 ? rest.prefix(plan.limit) : rest).map(\.key)
        } catch {
            throw CoreDataError(.invalidArgument, "\(error)")
        }
    }

    /// All rows that match a plan, in its order, before the limit and the offset are applied.
    private func views(
        _ plan: FetchPlan, in content: MemoryContent
    ) throws(PredicateEvaluationError) -> [MemoryRowView] {
        let shared = ViewedContent(content)
        let predicate = plan.predicate?.mappingConstants { constant in
            guard let key = (constant as? any ObjectIdentifying)?.objectKey else { return constant }
            return MemoryRowView(key, in: shared)
        }
        var found: [MemoryRowView] = []
        let keys = content.keys(of: plan.entity, includesSubentities: plan.includesSubentities)
        for number in keys {
            let entity = content.rows[plan.entity.rootIndex][number]?.entity ?? 0
            let view = MemoryRowView(ObjectKey(entity: entity, key: number), in: shared)
            if try predicate?.selects(view) ?? true { found.append(view) }
        }
        // Equal rows keep the order of their keys.
        return try SortOrder.sorted(found, by: plan.sortDescriptors)
    }
}

extension MemoryStore: TableStore {
    package func fetchTable(
        _ plan: FetchPlan, _ table: TablePlan
    ) throws(CoreDataError) -> FetchedTable {
        let content = try content()
        let made = try MemoryTable(table, entity: plan.entity, layout: content.layout)
        do throws(PredicateEvaluationError) {
            return try made.rows(
                of: try views(plan, in: content), offset: plan.offset, limit: plan.limit)
        } catch {
            throw CoreDataError(.invalidArgument, "\(error)")
        }
    }
}

/// Provides the content of a store in memory to the row views of one fetch.
private final class ViewedContent: ViewedRows {
    private let content: MemoryContent

    init(_ content: MemoryContent) { self.content = content }

    var layout: ModelLayout { content.layout }

    func entity(
        of key: ObjectKey, from reference: (owner: ObjectKey, slot: Int)?
    ) -> Int? { content.row(key)?.entity }

    func value(of key: ObjectKey, slot: Int) -> Value {
        content.row(key)?.values[slot] ?? .null
    }

    func members(of key: ObjectKey, slot: Int) -> [ObjectKey] {
        content.members(of: key, slot: slot)
    }
}
