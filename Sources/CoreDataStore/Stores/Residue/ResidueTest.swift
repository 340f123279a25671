import CoreDataModel
import CoreDataPredicate
import CoreDataSQL

/// Tests the candidates of a fetch for the conditions that SQL cannot express (the residue). If SQL
/// cannot sort the matching rows, also sorts them.
///
/// An SQL store runs it inside a transaction. If a condition follows a relationship, one statement
/// reads the relationship for all rows that were read so far.
package struct ResidueTest<Source: ResidueSource> {
    private let residue: Residue
    private let source: Source

    package init(_ residue: Residue, source: Source) {
        self.residue = residue
        self.source = source
    }

    /// The keys of the candidates that satisfy the conditions, in the requested order.
    ///
    /// - Throws: an error if the residue cannot be evaluated for a row, or a statement fails.
    package func passing() throws(CoreDataError) -> ContiguousArray<Int64> {
        let candidates = try source.candidates(of: residue)
        let rows = ResidueRows(candidates, source: source)
        do throws(PredicateEvaluationError) {
            let passing = try passing(candidates.keys, in: rows)
            report(candidates.count, passing.count)
            return try sorted(passing, in: rows)
        } catch {
            throw rows.failure ?? CoreDataError(.invalidArgument, "\(error)")
        }
    }

    /// The statement that selects the rows which pass the test. Runs the test.
    ///
    /// - Parameter make: creates the statement from the builder of these rows.
    package func statement(
        _ make: (SelectBuilder) throws(QueryRefusal) -> Fragment
    ) throws(CoreDataError) -> SpelledStatement {
        let passing = try passing()
        do throws(QueryRefusal) {
            return try make(residue.builder(passing: passing))
                .spelled(in: residue.candidates.schema.dialect)
        } catch {
            throw CoreDataError(error)
        }
    }

    private func passing(
        _ candidates: [ObjectKey], in rows: ResidueRows<Source>
    ) throws(PredicateEvaluationError) -> [ObjectKey] {
        let predicate = residue.predicate?.mappingConstants { constant in
            guard let key = (constant as? any ObjectIdentifying)?.objectKey else { return constant }
            return MemoryRowView(key, in: rows)
        }
        guard let predicate else { return candidates }
        var passing: [ObjectKey] = []
        for key in candidates where try predicate.finds(MemoryRowView(key, in: rows)) {
            passing.append(key)
        }
        return passing
    }

    private func sorted(
        _ keys: [ObjectKey], in rows: ResidueRows<Source>
    ) throws(PredicateEvaluationError) -> ContiguousArray<Int64> {
        if residue.sortDescriptors.isEmpty { return ContiguousArray(keys.map(\.key)) }
        let views = keys.map { MemoryRowView($0, in: rows) }
        return ContiguousArray(
            try SortOrder.sorted(views, by: residue.sortDescriptors).map(\.key.key))
    }

    private func report(_ count: Int, _ passing: Int) {
        let entity = residue.candidates.plan.entity.name
        if residue.predicate != nil {
            source.note(
                "a condition that SQL cannot express was tested on \(count) rows of \(entity);"
                    + " \(passing) passed")
        }
        if !residue.sortDescriptors.isEmpty {
            source.note(
                "\(passing) rows of \(entity) were sorted in an order that SQL cannot express")
        }
    }
}

/// Computes the result of a fetch of dictionaries in memory, if SQL cannot compute it.
package struct ResidueTable<Source: ResidueSource> {
    private let plan: FetchPlan
    private let table: TablePlan
    private let source: Source

    package init(_ plan: FetchPlan, _ table: TablePlan, source: Source) {
        self.plan = plan
        self.table = table
        self.source = source
    }

    /// - Parameter rows: all rows that match the plan, in its order, without its limit and offset.
    package func result(of rows: FetchedRows) throws(CoreDataError) -> FetchedTable {
        let made = try MemoryTable(table, entity: plan.entity, layout: source.layout)
        let content = ResidueRows(rows, source: source)
        let views = rows.keys.map { MemoryRowView($0, in: content) }
        source.note(
            "a table of \(views.count) rows of \(plan.entity.name) that SQL cannot express was"
                + " computed")
        do throws(PredicateEvaluationError) {
            return try made.rows(of: views, offset: plan.offset, limit: plan.limit)
        } catch {
            throw content.failure ?? CoreDataError(.invalidArgument, "\(error)")
        }
    }
}

/// Provides the rows of a store to the row views of one test.
private final class ResidueRows<Source: ResidueSource>: ViewedRows {
    let layout: ModelLayout
    private let source: Source
    /// The rows that were looked up; nil for a row that does not exist.
    private var rows: [Place: RowReference?] = [:]
    private var members: [Owner: [ObjectKey]] = [:]
    private(set) var failure: CoreDataError?

    init(_ candidates: FetchedRows, source: Source) {
        layout = source.layout
        self.source = source
        keep(candidates)
    }

    private func place(_ key: ObjectKey) -> Place {
        Place(root: layout[Int(key.entity)].rootIndex, key: key.key)
    }

    private func keep(_ found: FetchedRows) {
        for row in found.references {
            let key = ObjectKey(
                entity: RowFormat.entity(row.cells), key: RowFormat.key(row.cells))
            rows[place(key)] = .some(row)
        }
    }

    /// Runs a statement. If it fails, the test ends.
    private func reading<T>(
        _ body: () throws(CoreDataError) -> T
    ) throws(PredicateEvaluationError) -> T {
        do throws(CoreDataError) {
            return try body()
        } catch {
            failure = error
            throw PredicateEvaluationError("\(error)")
        }
    }

    func value(of key: ObjectKey, slot: Int) throws(PredicateEvaluationError) -> Value {
        guard let row = try row(key, from: nil) else { return .null }
        let entity = layout[RowFormat.entity(row.cells)]
        return RowFormat.value(row.cells, slot: slot, kind: entity.values[slot].kind)
    }

    func entity(
        of key: ObjectKey, from reference: (owner: ObjectKey, slot: Int)?
    ) throws(PredicateEvaluationError) -> Int? {
        try row(key, from: reference).map { RowFormat.entity($0.cells) }
    }

    private func row(
        _ key: ObjectKey, from reference: (owner: ObjectKey, slot: Int)?
    ) throws(PredicateEvaluationError) -> RowReference? {
        if let known = rows[place(key)] { return known }
        var wanted: Set<Int64> = [key.key]
        if let reference { wanted.formUnion(unread(as: reference.slot, of: reference.owner)) }
        let entity = layout[Int(key.entity)]
        let found = try reading { () throws(CoreDataError) in
            try source.rows(ContiguousArray(wanted.sorted()), entity)
        }
        for number in wanted {
            rows[Place(root: entity.rootIndex, key: number)] = .some(nil)
        }
        keep(found)
        return rows[place(key)] ?? nil
    }

    /// For one slot of all rows that were read: the keys of the destinations that were not.
    private func unread(as slot: Int, of owner: ObjectKey) -> [Int64] {
        let relationship = layout[Int(owner.entity)].values[slot]
        guard let toOne = relationship.toOne else { return [] }
        let root = layout[toOne.destinationIndex].rootIndex
        return owners(of: owner).compactMap { row in
            let values = layout[RowFormat.entity(row.cells)].values
            guard slot < values.count, values[slot].name == relationship.name,
                case .reference(let key) = RowFormat.value(row.cells, slot: slot, kind: .toOne),
                rows[Place(root: root, key: key.key)] == nil
            else { return nil }
            return key.key
        }
    }

    private func owners(of owner: ObjectKey) -> [RowReference] {
        let root = layout[Int(owner.entity)].rootIndex
        return rows.compactMap { $0.key.root == root ? $0.value : nil }
    }

    func members(of key: ObjectKey, slot: Int) throws(PredicateEvaluationError) -> [ObjectKey] {
        let name = layout[Int(key.entity)].toMany[slot].name
        let owner = Owner(place: place(key), relationship: name)
        if let known = members[owner] { return known }
        var owners: ContiguousArray<Int64> = [key.key]
        for row in self.owners(of: key) {
            let toMany = layout[RowFormat.entity(row.cells)].toMany
            let place = Place(root: owner.place.root, key: RowFormat.key(row.cells))
            guard slot < toMany.count, toMany[slot].name == name, place != owner.place,
                members[Owner(place: place, relationship: name)] == nil
            else { continue }
            owners.append(place.key)
        }
        let found = try reading { () throws(CoreDataError) in
            try source.destinations(of: owners, layout[Int(key.entity)], slot: slot)
        }
        keep(found.rows)
        for (number, keys) in zip(owners, found.keysByOwner) {
            let place = Place(root: owner.place.root, key: number)
            members[Owner(place: place, relationship: name)] = keys
        }
        return members[owner] ?? []
    }
}

/// A row's identity. Keys are unique within one entity family.
private struct Place: Hashable {
    let root: Int
    let key: Int64
}

private struct Owner: Hashable {
    let place: Place
    let relationship: String
}

extension Residue {
    /// The part of a rejected request that is evaluated in memory.
    ///
    /// - Throws: the builder's error, if the request cannot be evaluated in memory either.
    package init(of builder: SelectBuilder, after refusal: QueryRefusal) throws(CoreDataError) {
        do throws(QueryRefusal) {
            guard let residue = try Residue(of: builder) else { throw refusal }
            self = residue
        } catch {
            throw CoreDataError(error)
        }
    }
}
