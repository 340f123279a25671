import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import CoreDataTrace

/// Tests the candidates of a fetch for the residue of its predicate.
///
/// Created by `SQLiteStore` inside of a transaction. A relationship that the residue follows is
/// read by one statement for all rows read so far.
struct ResidueTest {
    private let residue: Residue
    private let store: SQLiteStore
    private let connection: Connection

    init(_ residue: Residue, store: SQLiteStore, connection: Connection) {
        assert(connection.isInTransaction, "candidates and members must be read in one transaction")
        self.residue = residue
        self.store = store
        self.connection = connection
    }

    /// The keys of the candidates that pass.
    ///
    /// - Throws: an error if the residue cannot be evaluated for a row, or a statement fails.
    func passing() throws(CoreDataError) -> ContiguousArray<Int64> {
        let entity = residue.candidates.plan.entity
        let reader = store.statements[entity].reader
        let select = try residue.candidates.select(reader.selectList)
        let candidates = try store.failing { () throws(SQLiteError) in
            try SQLiteStore.run(select, connection) { statement throws(SQLiteError) in
                try reader.readAll(statement, generation: 0, timestamp: SQLiteStore.coarseNow)
            }
        }
        let rows = ResidueRows(candidates, store: store, connection: connection)
        let predicate = residue.predicate.mappingConstants { constant in
            guard let key = (constant as? any ObjectIdentifying)?.objectKey else { return constant }
            return MemoryRowView(key, in: rows)
        }
        var passing: ContiguousArray<Int64> = []
        for key in candidates.keys {
            do throws(PredicateEvaluationError) {
                if try predicate.finds(MemoryRowView(key, in: rows)) { passing.append(key.key) }
            } catch {
                throw rows.failure.map(store.failure)
                    ?? CoreDataError(.invalidArgument, "\(error)")
            }
        }
        report(candidates.count, passing.count)
        return passing
    }

    private func report(_ count: Int, _ passing: Int) {
        guard store.trace.isOn else { return }
        let entity = residue.candidates.plan.entity.name
        store.trace.record(
            .annotation(
                "a condition that SQL cannot express was tested on \(count) rows of \(entity);"
                    + " \(passing) passed"))
    }
}

/// Rows of a SQLite store behind the views of one test.
private final class ResidueRows: ViewedRows {
    let layout: ModelLayout
    private let store: SQLiteStore
    private let connection: Connection
    /// The rows that have been looked up; nil for a row that does not exist.
    private var rows: [Place: RowReference?] = [:]
    private var members: [Owner: [ObjectKey]] = [:]
    /// The error that prevented reading rows.
    private(set) var failure: SQLiteError?

    /// A row's identity: keys are unique within one family.
    private struct Place: Hashable {
        let root: Int
        let key: Int64
    }

    private struct Owner: Hashable {
        let place: Place
        let relationship: String
    }

    init(_ candidates: FetchedRows, store: SQLiteStore, connection: Connection) {
        layout = store.layout
        self.store = store
        self.connection = connection
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

    /// Runs a statement; its failure ends the test.
    private func reading<T>(
        _ body: () throws(SQLiteError) -> T
    ) throws(PredicateEvaluationError) -> T {
        do throws(SQLiteError) {
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
        let found = try reading { () throws(SQLiteError) in
            try store.readRows(ContiguousArray(wanted.sorted()), entity, connection, 0)
        }
        for number in wanted {
            rows[Place(root: entity.rootIndex, key: number)] = .some(nil)
        }
        keep(found)
        return rows[place(key)] ?? nil
    }

    /// The keys of destinations that have not been read, for one slot of all rows that have been
    /// read.
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

    /// The rows of an owner's family that have been read.
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
        guard let texts = store.statements[Int(key.entity)].toMany[slot] else { return [] }
        let found = try reading { () throws(SQLiteError) in
            try store.readDestinations(owners, texts, connection, 0)
        }
        keep(found.rows)
        for (number, keys) in zip(owners, found.keysByOwner) {
            let place = Place(root: owner.place.root, key: number)
            members[Owner(place: place, relationship: name)] = keys
        }
        return members[owner] ?? []
    }
}
