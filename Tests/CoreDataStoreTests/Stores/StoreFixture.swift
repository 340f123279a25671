import CoreDataModel
import CoreDataPredicate
import CoreDataSQL
import CoreDataSQLite
import CoreDataStore
import CoreDataTrace
import TestSupport
import Testing

/// A store with its log. Short functions fill and read it.
final class StoreFixture {
    let store: SQLiteStore
    let layout: ModelLayout
    let trace = Trace()
    let log = StatementLog()

    init(
        _ location: SQLiteStoreOptions.Location = .image([]),
        layout: ModelLayout = StoreModels.library, dialect: any Dialect = SQLiteDialect(),
        _ adjust: (inout SQLiteStoreOptions) -> Void = { _ in }
    ) throws {
        var options = SQLiteStoreOptions(location)
        adjust(&options)
        trace.add(log)
        self.layout = layout
        store = try SQLiteStore(options, layout: layout, trace: trace, dialect: dialect)
        log.forget()
    }

    func entity(_ name: String) throws -> EntityLayout {
        try #require(layout.entity(named: name))
    }

    /// All other values are null.
    func row(_ entity: EntityLayout, _ values: [String: Value]) throws -> ContiguousArray<Value> {
        var row = ContiguousArray(repeating: Value.null, count: entity.values.count)
        for (name, value) in values { row[try #require(entity.valueSlot(named: name))] = value }
        return row
    }

    /// The new rows get the next free keys of the root entity.
    func insert(
        _ name: String, _ rows: [[String: Value]], into plan: inout SavePlan
    ) throws -> [ObjectKey] {
        let entity = try entity(name)
        var keys: ContiguousArray<Int64> = []
        var planned: ContiguousArray<Value> = []
        let first = try store.reserveKeys(rows.count, for: entity)
        for (offset, values) in rows.enumerated() {
            keys.append(first + Int64(offset))
            planned += try row(entity, values)
        }
        plan.inserts.append(SavePlan.Insert(entity: entity, keys: keys, values: planned))
        return keys.map { ObjectKey(entity: entity.index, key: $0) }
    }

    @discardableResult
    func insert(_ name: String, _ rows: [[String: Value]]) throws -> [ObjectKey] {
        var plan = SavePlan()
        let keys = try insert(name, rows, into: &plan)
        try commit(plan)
        return keys
    }

    func commit(_ plan: SavePlan) throws {
        let outcome = try store.save(plan)
        guard case .committed = outcome else {
            Issue.record("the save was not committed: \(outcome)")
            return
        }
    }

    func update(
        _ key: ObjectKey, version: Int32, _ values: [String: Value]
    ) throws -> SavePlan.Update {
        let entity = layout[Int(key.entity)]
        let pairs = try values.map { (try #require(entity.valueSlot(named: $0.key)), $0.value) }
            .sorted { $0.0 < $1.0 }
        var update = SavePlan.Update(entity: entity, slots: pairs.map(\.0))
        update.keys = [key.key]
        update.versions = [version]
        update.values = ContiguousArray(pairs.map(\.1))
        return update
    }

    func delete(_ key: ObjectKey, version: Int32) -> SavePlan.Delete {
        var delete = SavePlan.Delete(entity: layout[Int(key.entity)])
        delete.keys = [key.key]
        delete.versions = [version]
        return delete
    }

    func violations(_ plan: SavePlan) throws -> [ConstraintViolation] {
        guard case .constraintViolations(let violations) = try store.save(plan) else {
            Issue.record("no constraint was violated")
            return []
        }
        return violations
    }

    /// Another store with a copy of the content. The SQL, if any, changes the copy first.
    func reopened(after sql: String? = nil) throws -> StoreFixture {
        let connection = try Connection(.memory)
        try connection.replace(with: try store.makeImage())
        if let sql { try connection.execute(sql) }
        return try StoreFixture(.image(try connection.makeImage()), layout: layout)
    }

    func version(_ key: ObjectKey) throws -> Int32 {
        RowFormat.version(try #require(try store.row(key, generation: 0)).cells)
    }

    func plan(
        _ name: String, _ predicate: NSPredicate? = nil, sort: [NSSortDescriptor] = []
    ) throws -> FetchPlan {
        FetchPlan(entity: try entity(name), predicate: predicate, sortDescriptors: sort)
    }

    func values(_ attribute: String, _ plan: FetchPlan) throws -> [Value] {
        try rows(try store.fetchRows(plan, generation: 0)).map { try value($0, attribute) }
    }

    func rows(_ fetched: FetchedRows) -> [RowReference] {
        fetched.blocks.flatMap { block in
            (0..<block.count).map { RowReference(block: block, index: $0) }
        }
    }

    func value(_ row: RowReference, _ attribute: String) throws -> Value {
        let entity = layout[RowFormat.entity(row.cells)]
        let slot = try #require(entity.valueSlot(named: attribute))
        return RowFormat.value(row.cells, slot: slot, kind: entity.values[slot].kind)
    }

    func value(_ key: ObjectKey, _ attribute: String) throws -> Value {
        try value(try #require(try store.row(key, generation: 0)), attribute)
    }
}
