import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// Deletes the rows of a batch and applies their delete rules, in its caller's transaction.
///
/// Cascade rules delete further rows. Optional inverses are set to NULL, and pairs are removed from
/// join tables. If a remaining row requires a deleted row, the batch fails. Deny rules and minimum
/// counts are not checked.
struct BatchDeleter {
    package let store: SQLiteStore
    package let connection: Connection
    private var seen: Set<ObjectKey> = []
    private var required: RequiredInverses

    package init(store: SQLiteStore, connection: Connection) {
        self.store = store
        self.connection = connection
        required = RequiredInverses(store: store, connection: connection)
    }

    package mutating func run(
        _ keys: ContiguousArray<ObjectKey>, _ history: inout HistoryRecord
    ) throws(SQLiteError) {
        assert(connection.isInTransaction, "rows are deleted outside a transaction")
        var waiting = keys.filter { seen.insert($0).inserted }
        while !waiting.isEmpty {
            let groups = Dictionary(grouping: waiting, by: \.entity).sorted { $0.key < $1.key }
            waiting = []
            for (entity, group) in groups {
                let layout = store.layout[Int(entity)]
                let numbers = ContiguousArray(group.map(\.key))
                for key in try cascade(from: numbers, layout) where seen.insert(key).inserted {
                    waiting.append(key)
                }
                try required.note(numbers, of: layout)
                try cutLinks(of: numbers, layout, &history)
                try history.keepTombstones(of: numbers, layout, store, connection)
                try execute(
                    "DELETE FROM \(layout.tableName) WHERE Z_PK IN \(Self.keyList)", numbers)
                history.deleted(ContiguousArray(group))
            }
        }
        try required.check()
    }

    private static let keyList = RequiredInverses.keyList

    // MARK: Cascades

    private func cascade(
        from keys: ContiguousArray<Int64>, _ entity: EntityLayout
    ) throws(SQLiteError) -> [ObjectKey] {
        var found: [ObjectKey] = []
        for slot in entity.values {
            guard let toOne = slot.toOne, toOne.deleteBehavior == .cascade,
                let column = slot.column
            else { continue }
            found += try destinations(
                toOne.destinationIndex,
                "WHERE t0.Z_PK IN (SELECT \(column) FROM \(entity.tableName) "
                    + "WHERE Z_PK IN \(Self.keyList))", keys)
        }
        for slot in entity.toMany where slot.deleteBehavior == .cascade {
            switch slot.storage {
            case .foreignKey(let column, _, _):
                found += try destinations(
                    slot.destinationIndex, "WHERE t0.\(column) IN \(Self.keyList)", keys)
            case .joinTable(let table, let owner, let member, _, _):
                found += try destinations(
                    slot.destinationIndex,
                    "WHERE t0.Z_PK IN (SELECT \(member) FROM \(table) "
                        + "WHERE \(owner) IN \(Self.keyList))", keys)
            case .none: break
            }
        }
        return found
    }

    private func destinations(
        _ index: Int, _ condition: String, _ keys: ContiguousArray<Int64>
    ) throws(SQLiteError) -> [ObjectKey] {
        let texts = store.statements[index]
        let statement = try connection.statement(
            "SELECT \(texts.keyList) FROM \(texts.entity.tableName) t0 \(condition)")
        defer { statement.finish() }
        try statement.bind([.array(keys)])
        return Array(try texts.reader.readKeys(statement))
    }

    // MARK: Inverses

    private func cutLinks(
        of keys: ContiguousArray<Int64>, _ entity: EntityLayout, _ history: inout HistoryRecord
    ) throws(SQLiteError) {
        for slot in entity.values {
            guard let toOne = slot.toOne, toOne.deleteBehavior.letsGo,
                case .value(let inverse) = toOne.inverse
            else { continue }
            try clear(inverse, of: toOne.destinationIndex, keys, &history)
        }
        for (index, slot) in entity.toMany.enumerated() {
            switch slot.storage {
            case .joinTable(let table, let owner, let member, _, _):
                try execute("DELETE FROM \(table) WHERE \(owner) IN \(Self.keyList)", keys)
                // If the relationship is its own inverse, deleted rows may be in both columns of
                // the join table. The tables are compared too, because slots and keys of another
                // table may have the same numbers.
                let isOwnInverse =
                    slot.inverse == .toMany(index)
                    && store.layout[slot.destinationIndex].tableName == entity.tableName
                if isOwnInverse {
                    try execute("DELETE FROM \(table) WHERE \(member) IN \(Self.keyList)", keys)
                }
            case .foreignKey:
                guard slot.deleteBehavior.letsGo, case .value(let inverse) = slot.inverse
                else { continue }
                try clear(inverse, of: slot.destinationIndex, keys, &history)
            case .none: break
            }
        }
    }

    /// Writes NULL to an optional to-one relationship wherever it refers to a deleted row.
    private func clear(
        _ slot: Int, of index: Int, _ keys: ContiguousArray<Int64>, _ history: inout HistoryRecord
    ) throws(SQLiteError) {
        let entity = store.layout[index]
        let value = entity.values[slot]
        guard value.isOptional, let column = value.column else { return }
        let cleared = [column, value.toOne?.entityColumn].compactMap { $0 }
            .map { "\($0) = NULL, " }.joined()
        let statement = try connection.statement(
            "UPDATE \(entity.tableName) SET \(cleared)Z_OPT = (Z_OPT + 1) "
                + "WHERE \(column) IN \(Self.keyList) "
                + "RETURNING \(entity.hasSubentities ? "Z_ENT" : "0"), Z_PK")
        defer { statement.finish() }
        try statement.bind([.array(keys)])
        let reader = store.statements[entity].reader
        history.updated(try reader.readKeys(statement), slots: [slot])
    }

    private func execute(
        _ sql: String, _ keys: ContiguousArray<Int64>
    ) throws(SQLiteError) {
        let statement = try connection.statement(sql)
        try statement.bind([.array(keys)])
        try statement.run()
    }
}
