import CoreDataModel
import CoreDataSQL
import CoreDataSQLite
import Foundation

/// Writes one save plan in one transaction.
///
/// Deletes come first and inserts last. So a new row may take over a unique value from a row that
/// the same save deletes or changes.
final class SaveTransaction {
    package let store: SQLiteStore
    package let plan: SavePlan
    package let connection: Connection
    package let timestamp = SQLiteStore.coarseNow
    private let metadata: Data?
    var missed: [MissedRow] = []
    /// Whether rows with consecutive keys are written by one UPDATE.
    private var writesRuns = true
    @exclusivity(unchecked) var texts = TextArena()
    private var history: HistoryRecord
    /// The row whose statement failed, which the error names.
    @exclusivity(unchecked) var failedObject: ObjectKey?

    /// A row that does not exist with the expected version.
    struct MissedRow {
        let entity: EntityLayout
        let key: Int64
        let version: Int32
    }

    package init(store: SQLiteStore, plan: SavePlan, metadata: Data?, connection: Connection) {
        self.store = store
        self.plan = plan
        self.metadata = metadata
        history = HistoryRecord(origin: plan.origin, store: store)
        self.connection = connection
    }

    /// Runs the transaction. If the result is not `committed`, or an error is thrown, nothing was
    /// changed.
    package func run() throws(SQLiteError) -> SaveOutcome {
        do throws(SQLiteError) {
            return try attempt(parksUniqueValues: false)
        } catch {
            guard error.isUniquenessViolation || error.isPrimaryKeyViolation else { throw error }
            if let outcome = try explainViolation() { return outcome }
            store.external?.endTransaction(isCommitted: false)
            // The whole plan violates no constraint: its rows only exchange unique values with each
            // other.
            return try attempt(parksUniqueValues: true)
        }
    }

    private func attempt(parksUniqueValues: Bool) throws(SQLiteError) -> SaveOutcome {
        missed.removeAll()
        history = HistoryRecord(origin: plan.origin, store: store)
        _ = store.takeDerived()
        try connection.begin(.immediate)
        do throws(SQLiteError) {
            try checkLocks()
            try writeDeletes()
            if parksUniqueValues { try self.parkUniqueValues() }
            guard try writeUpdates() else {
                try connection.rollback()
                return try attemptWithoutRuns(parksUniqueValues: parksUniqueValues)
            }
            if !missed.isEmpty, !mutant(.ignoreRowConflicts), !mutant(.ignoreStoreConflicts) {
                let conflicts = try collectConflicts()
                try connection.rollback()
                return .conflicts(conflicts)
            }
            try writeInserts()
            try writeMemberships()
            try recomputeSetValues()
            let computed = store.takeDerived()
            let number = store.tracksHistory ? try writeHistory(computed) : nil
            try writeMetadata()
            try connection.commit()
            return .committed(computed: computed.map(\.row), transaction: number)
        } catch {
            try? connection.rollback()
            throw error
        }
    }

    /// Repeats the transaction with statements for single rows, because a statement for many rows
    /// does not report which rows it changed.
    private func attemptWithoutRuns(parksUniqueValues: Bool) throws(SQLiteError) -> SaveOutcome {
        assert(writesRuns, "a transaction that writes single rows was repeated")
        writesRuns = false
        store.external?.endTransaction(isCommitted: false)
        return try attempt(parksUniqueValues: parksUniqueValues)
    }
}

// MARK: Versions

extension SaveTransaction {
    private func checkLocks() throws(SQLiteError) {
        for lock in plan.locks where try version(of: lock.key, lock.entity) != lock.version {
            missed.append(MissedRow(entity: lock.entity, key: lock.key, version: lock.version))
        }
    }

    private func version(of key: Int64, _ entity: EntityLayout) throws(SQLiteError) -> Int32? {
        let text = store.statements[entity].version
        let statement = try connection.statement(number: text.number, text.sql)
        defer { statement.finish() }
        statement.bind(1, integer: key)
        guard try statement.step() else { return nil }
        return Int32(truncatingIfNeeded: statement.integer(0))
    }

    /// If the version of a row is NULL, sets it to the expected version. Only other tools write
    /// NULL. Returns whether such a row exists.
    func healVersion(
        of key: Int64, _ entity: EntityLayout, expected: Int32
    ) throws(SQLiteError) -> Bool {
        guard expected == 0 else { return false }
        let statement = try connection.statement(
            "UPDATE \(entity.tableName) SET Z_OPT = 0 WHERE Z_PK = ? AND Z_OPT IS NULL")
        statement.bind(1, integer: key)
        return try statement.run() > 0
    }

    private func collectConflicts() throws(SQLiteError) -> [RowConflict] {
        var conflicts: [RowConflict] = []
        conflicts.reserveCapacity(missed.count)
        assert(connection.isInTransaction, "rows are compared outside a transaction")
        var rest = missed[...]
        while let first = rest.first {
            let end = rest.firstIndex { $0.entity !== first.entity } ?? rest.endIndex
            try collectConflicts(of: rest[..<end], first.entity, into: &conflicts)
            rest = rest[end...]
        }
        return conflicts
    }

    /// Reads many rows of one entity with one statement.
    private func collectConflicts(
        of rows: ArraySlice<MissedRow>, _ entity: EntityLayout, into conflicts: inout [RowConflict]
    ) throws(SQLiteError) {
        func add(_ row: MissedRow, _ persisted: RowReference?) {
            let key = ObjectKey(entity: entity.index, key: row.key)
            conflicts.append(
                RowConflict(key: key, expectedVersion: row.version, persisted: persisted))
        }
        guard rows.count >= RowRuns.rowsMin else {
            for row in rows {
                let key = ObjectKey(entity: entity.index, key: row.key)
                let persisted = try store.readRow(
                    key, connection, generation: 0, timestamp: timestamp)
                add(row, persisted)
            }
            return
        }
        let keys = ContiguousArray(rows.map(\.key))
        let found = try store.readRows(keys, entity, connection, 0).blocks
        var (block, index) = (0, 0)
        // The rows are in the order of the keys, without missing rows.
        for row in rows {
            guard block < found.count, RowFormat.key(found[block].cells(at: index)) == row.key
            else {
                add(row, nil)
                continue
            }
            add(row, RowReference(block: found[block], index: index))
            index += 1
            if index == found[block].count { (block, index) = (block + 1, 0) }
        }
        assert(block == found.count, "a row was read that was not requested")
    }
}

// MARK: Rows

extension SaveTransaction {
    private func writeDeletes() throws(SQLiteError) {
        for group in plan.deletes {
            try history.keepTombstones(of: group.keys, group.entity, store, connection)
            assert(group.brokenInvariant() == nil, group.brokenInvariant() ?? "")
            let text = store.statements[group.entity].delete
            let statement = try connection.statement(number: text.number, text.sql)
            for rows in RowRuns(group.keys, group.versions) {
                if rows.count > 1, try deleteRun(group, rows) { continue }
                for row in rows {
                    try delete(group.keys[row], group.versions[row], statement, group.entity)
                }
            }
            try clearReferences(to: group)
        }
    }

    private func delete(
        _ key: Int64, _ version: Int32, _ statement: Statement, _ entity: EntityLayout
    ) throws(SQLiteError) {
        statement.bind(1, integer: key)
        statement.bind(2, integer: Int64(version))
        if try statement.run() > 0 { return }
        if try healVersion(of: key, entity, expected: version) {
            statement.bind(1, integer: key)
            statement.bind(2, integer: 0)
            if try statement.run() > 0 { return }
        }
        // If another save has already deleted the row, there is nothing to do.
        guard try self.version(of: key, entity) != nil else { return }
        missed.append(MissedRow(entity: entity, key: key, version: version))
    }

    /// Removes deleted owners from join tables, and from the foreign keys of relationships without
    /// an inverse.
    private func clearReferences(to group: SavePlan.Delete) throws(SQLiteError) {
        for (index, slot) in store.layout[group.entity.index].toMany.enumerated() {
            let sql: String
            switch slot.storage {
            case .joinTable(let table, let owner, let destination, _, _):
                let isReflexive = store.layout.isReflexive(index, of: group.entity)
                sql =
                    "DELETE FROM \(table) WHERE \(owner) = ?1"
                    + (isReflexive ? " OR \(destination) = ?1" : "")
            case .foreignKey(let column, let entityColumn, let order) where slot.inverse == .none:
                let cleared = [column, entityColumn, order].compactMap { $0 }.map { "\($0) = NULL" }
                sql =
                    "UPDATE \(store.layout[slot.destinationIndex].tableName) "
                    + "SET \(cleared.joined(separator: ", ")) WHERE \(column) = ?"
            case .foreignKey, .none: continue
            }
            let statement = try connection.statement(sql)
            for key in group.keys {
                statement.bind(1, integer: key)
                try statement.run()
            }
        }
    }

    /// - Returns: false if a run changed only some of its rows, and it is not known which ones. The
    ///   transaction must then be rolled back.
    private func writeUpdates() throws(SQLiteError) -> Bool {
        for group in plan.updates {
            assert(group.brokenInvariant() == nil, group.brokenInvariant() ?? "")
            let shape = UpdateShape(group)
            let statement = try connection.statement(shape.sql)
            for rows in RowRuns(group.keys, group.versions) {
                if rows.count > 1, writesRuns, shape.writesRuns {
                    switch try updateRun(group, rows, shape) {
                    case .written: continue
                    case .broken: return false
                    case .refused: break
                    }
                }
                for row in rows { try update(group, row, shape, statement) }
            }
        }
        return true
    }

    private func update(
        _ group: SavePlan.Update, _ row: Int, _ shape: UpdateShape, _ statement: Statement
    ) throws(SQLiteError) {
        let (key, version) = (group.keys[row], group.versions[row])
        failedObject = ObjectKey(entity: shape.entity, key: key)
        shape.bind(group, row, to: statement, texts: &texts, numbers: store.numbers)
        var isWritten = try statement.run() > 0
        if !isWritten, try healVersion(of: key, group.entity, expected: version) {
            shape.bind(group, row, to: statement, texts: &texts, numbers: store.numbers)
            isWritten = try statement.run() > 0
        }
        if !isWritten {
            missed.append(MissedRow(entity: group.entity, key: key, version: version))
        }
        failedObject = nil
    }

    private func writeInserts() throws(SQLiteError) {
        for group in plan.inserts {
            var row = 0
            while group.keys.count - row >= InsertColumns.rowsPerGroup {
                try insertGroup(group, from: row)
                row += InsertColumns.rowsPerGroup
            }
            while row < group.keys.count {
                try insertOne(group, row)
                row += 1
            }
        }
    }

    private func insertGroup(_ group: SavePlan.Insert, from first: Int) throws(SQLiteError) {
        let statement = try bind(
            group, rows: first..<(first + InsertColumns.rowsPerGroup),
            to: store.statements[group.entity].insert.group)
        do throws(SQLiteError) {
            try statement.run()
        } catch {
            guard error.isConstraintViolation else { throw error }
            // Each row is written by a statement of its own, so that the error can name the object.
            for row in first..<(first + InsertColumns.rowsPerGroup) { try insertOne(group, row) }
        }
    }

    private func insertOne(_ group: SavePlan.Insert, _ row: Int) throws(SQLiteError) {
        failedObject = ObjectKey(entity: group.entity.index, key: group.keys[row])
        let text = store.statements[group.entity].insert.one
        try bind(group, rows: row..<(row + 1), to: text).run()
        failedObject = nil
    }

    private func bind(
        _ group: SavePlan.Insert, rows: Range<Int>, to text: NumberedStatement
    ) throws(SQLiteError) -> Statement {
        let statement = try connection.statement(number: text.number, text.sql)
        let columns = store.statements[group.entity].insert.columns
        let numbers = store.numbers
        let number = numbers.number(of: group.entity.index)
        for row in rows {
            columns.bind(
                place: row - rows.lowerBound, cells: group.cells(row), number: number,
                isRepeated: rows.count > 1 && rows.lowerBound > 0, to: statement, numbers: numbers)
        }
        return statement
    }

    private func writeMemberships() throws(SQLiteError) {
        guard !plan.memberships.isEmpty else { return }
        try MembershipWriter(
            layout: store.layout, numbers: store.numbers, connection: connection
        ).write(plan.memberships)
    }

    private func recomputeSetValues() throws(SQLiteError) {
        guard store.derived != nil else { return }
        for group in plan.updates {
            for slot in group.slots {
                guard let column = DerivedColumn(store.layout, group.entity, slot) else { continue }
                let statement = try connection.statement(
                    column.update(where: "Z_PK = ?", store.numbers))
                for key in group.keys {
                    statement.bind(1, integer: key)
                    try statement.run()
                    store.derived?.note(
                        store.numbers.number(of: group.entity.index), key,
                        group.entity.values[slot].name)
                }
            }
        }
    }

    private func writeHistory(
        _ computed: [(row: ObjectKey, slots: [Int])]
    ) throws(SQLiteError) -> Int64? {
        history.add(plan, computed: computed)
        return try store.writeHistory(history, connection)
    }

    private func writeMetadata() throws(SQLiteError) {
        guard let metadata else { return }
        let statement = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        metadata.withUnsafeBytes { statement.bind(1, blob: $0) }
        try statement.run()
    }
}

// MARK: Unique values

extension SaveTransaction {
    /// Finds the violated uniqueness constraint, after the transaction was rolled back.
    ///
    /// Rows with an unexpected version are reported first: resolving these conflicts may also
    /// resolve the violation.
    private func explainViolation() throws(SQLiteError) -> SaveOutcome? {
        try connection.begin(.deferred)
        defer { try? connection.rollback() }
        missed.removeAll()
        try checkLocks()
        for group in plan.updates {
            for row in group.keys.indices {
                try compareVersion(group.keys[row], group.versions[row], group.entity)
            }
        }
        for group in plan.deletes {
            for row in group.keys.indices
            where try version(of: group.keys[row], group.entity) != nil {
                try compareVersion(group.keys[row], group.versions[row], group.entity)
            }
        }
        for group in plan.inserts {
            for key in group.keys where try version(of: key, group.entity) != nil {
                // Another writer has inserted a row with a key that was reserved for this save.
                missed.append(MissedRow(entity: group.entity, key: key, version: 0))
            }
        }
        if !missed.isEmpty { return .conflicts(try collectConflicts()) }
        let violations = try UniquenessCheck(transaction: self).violations()
        return violations.isEmpty ? nil : .constraintViolations(violations)
    }

    private func compareVersion(
        _ key: Int64, _ expected: Int32, _ entity: EntityLayout
    ) throws(SQLiteError) {
        guard try version(of: key, entity) != expected else { return }
        missed.append(MissedRow(entity: entity, key: key, version: expected))
    }

    /// First sets the unique columns of the updated rows to NULL, so that two rows can exchange
    /// their values.
    private func parkUniqueValues() throws(SQLiteError) {
        for group in plan.updates {
            let unique = Set(group.entity.uniquenessConstraints.flatMap(\.slots))
            let columns = group.slots.filter(unique.contains)
                .compactMap { group.entity.values[$0].column }
            guard !columns.isEmpty else { continue }
            let cleared = columns.map { "\($0) = NULL" }.joined(separator: ", ")
            let statement = try connection.statement(
                "UPDATE \(group.entity.tableName) SET \(cleared) WHERE Z_PK = ?")
            for key in group.keys {
                statement.bind(1, integer: key)
                try statement.run()
            }
        }
    }
}
