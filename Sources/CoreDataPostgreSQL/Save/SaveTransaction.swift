import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore

/// Writes one save plan in one transaction; created by `PostgreSQLStore.save(_:)` for each save.
///
/// The first round trip begins the transaction, locks the rows in the order of their keys, and
/// writes all changes. The second one commits. A plan that changes no existing row needs one trip.
struct SaveTransaction {
    private let store: PostgreSQLStore
    private let plan: SavePlan
    private let metadata: String?
    private let statements: PlanStatements
    /// The statements that write rows, whose values were converted before the transaction.
    private let rows: [PipelinedStatement]
    private let members: MemberStatements
    private let locks: RowLocks
    /// The rows that are announced to other stores.
    private let announced: [ObjectKey]

    /// The savepoint before the rows are written. Rolling back to it keeps the locks of the rows,
    /// which were taken before.
    private static let mark = "faultline"

    /// - Throws: an error for a value that the server cannot store.
    init(_ store: PostgreSQLStore, _ plan: SavePlan, _ metadata: String?) throws(CoreDataError) {
        self.store = store
        self.plan = plan
        self.metadata = metadata
        statements = PlanStatements(plan, schema: store.schema)
        rows = try statements.rows()
        members = MemberStatements(plan, schema: store.schema)
        locks = RowLocks(plan, schema: store.schema)
        announced = store.announces ? plan.writtenKeys : []
    }

    /// Runs the transaction. If the result is not `committed`, or an error is thrown, nothing was
    /// changed.
    func run(_ connection: Connection) throws(ServerError) -> SaveOutcome {
        var first = [beginning(connection)]
        first += locks.statements
        let kept = keeping
        first += kept.map(\.statement)
        if canViolate { first.append(PipelinedStatement("SAVEPOINT \(Self.mark)")) }
        let written = first.count
        first += rows + members.changes
        if let metadata {
            first.append(try StoreRecord.update(metadata, store.schemaName))
        }
        let places = first.count
        first += members.places
        let isComplete = locks.isEmpty && places == first.count
        if isComplete {
            var record = HistoryRecord(
                origin: plan.origin, isOn: store.tracksHistory, layout: store.layout)
            record.add(plan)
            first += try ending(record, connection)
        }
        let results: [QueryResult]
        do throws(ServerError) {
            results = try connection.executePipeline(first)
        } catch {
            guard error.isUniqueViolation, connection.isInTransaction, canViolate else {
                throw error
            }
            return try explain(error, connection)
        }
        if isComplete { return committed(results[places...]) }
        let missed = locks.missed(in: results[1..<written])
        if !missed.isEmpty, !mutant(.ignoreRowConflicts), !mutant(.ignoreStoreConflicts) {
            return .conflicts(try conflicts(missed, connection))
        }
        let tombstones = results[(1 + locks.count)...]
        return try commit(results[places...], tombstones, connection)
    }

    /// The first statement. The transaction of a view is already open.
    private func beginning(_ connection: Connection) -> PipelinedStatement {
        PipelinedStatement(
            store.isHeld ? Connection.heldMark : connection.beginStatement(store.isolation))
    }

    /// Removes the changes of the save. A view returns to the state that it holds.
    private func undo(_ connection: Connection) throws(ServerError) {
        if store.isHeld {
            try connection.execute(Connection.heldUndo)
        } else {
            try connection.rollback()
        }
    }

    /// Writes the order numbers and the history, and commits.
    ///
    /// - Parameters:
    ///   - places: the results of the statements that read order numbers.
    ///   - tombstones: the results of the statements that read the values of deleted rows, and
    ///     further results.
    private func commit(
        _ places: ArraySlice<QueryResult>, _ tombstones: ArraySlice<QueryResult>,
        _ connection: Connection
    ) throws(ServerError) -> SaveOutcome {
        var record = HistoryRecord(
            origin: plan.origin, isOn: store.tracksHistory, layout: store.layout)
        for (kept, result) in zip(keeping, tombstones) {
            store.keep(result, of: kept.entity, in: &record)
        }
        record.add(plan)
        let orders = members.orders(places)
        let results = try connection.executePipeline(orders + ending(record, connection))
        return committed(results[orders.count...])
    }

    /// The statements that record the history and commit.
    private func ending(
        _ record: HistoryRecord, _ connection: Connection
    ) throws(ServerError) -> [PipelinedStatement] {
        try store.history.recording(record, store.schema) + store.announcing(announced)
            + [PipelinedStatement(connection.commitStatement)]
    }

    private func committed(_ results: ArraySlice<QueryResult>) -> SaveOutcome {
        // The last results are those of the announcement and of COMMIT.
        let last = announced.isEmpty ? 1 : 2
        return .committed(
            transaction: results.count > last ? results.first?.first?.integer : nil)
    }

    /// The statements that read the preserved values of rows that the save deletes.
    private var keeping: [(entity: EntityLayout, statement: PipelinedStatement)] {
        plan.deletes.compactMap { group in
            let entity = store.layout[group.entity.index]
            return store.keeping(group.keys, of: entity).map { (entity, $0) }
        }
    }

    /// Whether the plan can violate a uniqueness constraint or insert an existing key.
    private var canViolate: Bool {
        !plan.inserts.isEmpty || !UniquenessRule.all(of: plan).isEmpty
    }

    // MARK: Conflicts

    /// Reads the current rows of the conflicts, in the same transaction.
    private func conflicts(
        _ missed: [RowLocks.Expected], _ connection: Connection
    ) throws(ServerError) -> [RowConflict] {
        var conflicts: [RowConflict] = []
        for (index, rows) in Dictionary(grouping: missed, by: \.entity.index).sorted(by: {
            $0.key < $1.key
        }) {
            let found = try store.readRows(
                ContiguousArray(rows.map(\.key)), store.layout[index], connection, 0)
            let persisted = Dictionary(
                found.references.map { (RowFormat.key($0.cells), $0) }, uniquingKeysWith: { $1 })
            conflicts += rows.map { row in
                RowConflict(
                    key: ObjectKey(entity: index, key: row.key), expectedVersion: row.version,
                    persisted: persisted[row.key])
            }
        }
        try undo(connection)
        return conflicts
    }

    // MARK: Unique values

    /// Finds the cause of a violation, in the same transaction.
    ///
    /// Rows with an unexpected version are reported first, because resolving these conflicts may
    /// also resolve the violation. If the plan as a whole violates no constraint, its rows exchange
    /// unique values with each other. The plan is then written again, after these values were
    /// cleared.
    private func explain(
        _ error: ServerError, _ connection: Connection
    ) throws(ServerError) -> SaveOutcome {
        try connection.execute("ROLLBACK TO SAVEPOINT \(Self.mark)")
        let versions = try connection.executePipeline(locks.statements)
        let missed = locks.missed(in: versions[...]) + (try existing(connection))
        if !missed.isEmpty { return .conflicts(try conflicts(missed, connection)) }
        let violations = try ServerUniqueness(store, connection).violations(of: plan)
        if !violations.isEmpty {
            try undo(connection)
            return .constraintViolations(violations)
        }
        var statements = self.statements.parking() + rows + members.changes
        if let metadata { statements.append(try StoreRecord.update(metadata, store.schemaName)) }
        let places = statements.count
        statements += members.places
        do throws(ServerError) {
            let kept = keeping.map(\.statement)
            let results = try connection.executePipeline(kept + statements)
            return try commit(
                results[(kept.count + places)...], results[..<kept.count], connection)
        } catch {
            guard error.isUniqueViolation else { throw error }
            try undo(connection)
            return .refused("another transaction wrote the same unique values")
        }
    }

    /// The new rows whose keys another writer has used, although they were reserved for this save.
    private func existing(_ connection: Connection) throws(ServerError) -> [RowLocks.Expected] {
        var found: [RowLocks.Expected] = []
        for group in plan.inserts {
            let rows = try store.readRows(
                group.keys, store.layout[group.entity.index], connection, 0)
            found += rows.keys.map {
                RowLocks.Expected(
                    entity: group.entity, key: $0.key, version: 0, mayBeMissing: false)
            }
        }
        return found
    }
}

extension SavePlan {
    /// The rows that the plan inserts, changes or deletes.
    fileprivate var writtenKeys: [ObjectKey] {
        func keys(_ entity: EntityLayout, _ keys: ContiguousArray<Int64>) -> [ObjectKey] {
            keys.map { ObjectKey(entity: entity.index, key: $0) }
        }
        return inserts.flatMap { keys($0.entity, $0.keys) }
            + updates.flatMap { keys($0.entity, $0.keys) }
            + deletes.flatMap { keys($0.entity, $0.keys) }
            + memberships.map { ObjectKey(entity: $0.entity.index, key: $0.owner) }
    }
}

/// Finds every uniqueness constraint that a save plan would violate, with the responsible rows.
///
/// Only used after the server has rejected the plan, so it may be slow: one SELECT for each planned
/// row and constraint.
struct ServerUniqueness: UniquenessSource {
    private let store: PostgreSQLStore
    private let connection: Connection

    init(_ store: PostgreSQLStore, _ connection: Connection) {
        assert(connection.isInTransaction, "rows are compared outside a transaction")
        self.store = store
        self.connection = connection
    }

    func violations(of plan: SavePlan) throws(ServerError) -> [ConstraintViolation] {
        try UniquenessClaims.violations(of: plan, store.layout, in: self)
    }

    func storedValues(of key: ObjectKey, _ slots: [Int]) throws(ServerError) -> [Value]? {
        let entity = store.layout[Int(key.entity)]
        let rows = try store.readRows([key.key], entity, connection, 0)
        return rows.references.first.map { row in
            slots.map { RowFormat.value(row.cells, slot: $0, kind: entity.values[$0].kind) }
        }
    }

    func holder(of values: [Value], _ rule: UniquenessRule) throws(ServerError) -> RowReference? {
        let entity = store.layout[rule.entity.index]
        let slots = rule.constraint.slots.map { entity.values[$0] }
        let reader = store.texts[entity.rootIndex].reader
        let parameters = Parameters()
        var conditions: [String] = []
        for (slot, value) in zip(slots, values) {
            guard let column = slot.column else { continue }
            try parameters.append(value, as: slot.kind.serverType)
            conditions.append("t0.\(column) = $\(parameters.count)")
        }
        let result = try connection.execute(
            "SELECT \(reader.selectList) FROM \(entity.tableName) t0"
                + " WHERE \(conditions.joined(separator: " AND "))", parameters)
        return reader.row(result, generation: 0, timestamp: PostgreSQLStore.now)
    }
}
