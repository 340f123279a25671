import CoreDataModel
import CoreDataSQLite

/// Finds every uniqueness constraint that a save plan would violate, with the responsible rows.
///
/// It runs one SELECT for each planned row and constraint. This may be slow, but it happens only
/// after SQLite has rejected the plan.
struct UniquenessCheck {
    private let plan: SavePlan
    private let store: SQLiteStore
    private let connection: Connection
    private let timestamp: Double

    package init(transaction: SaveTransaction) {
        plan = transaction.plan
        store = transaction.store
        connection = transaction.connection
        timestamp = transaction.timestamp
    }

    package func violations() throws(SQLiteError) -> [ConstraintViolation] {
        assert(connection.isInTransaction, "rows are compared outside a transaction")
        return try UniquenessClaims.violations(of: plan, store.layout, in: self)
    }
}

extension UniquenessCheck: UniquenessSource {
    typealias Failure = SQLiteError

    func storedValues(of key: ObjectKey, _ slots: [Int]) throws(SQLiteError) -> [Value]? {
        let row = try store.readRow(key, connection, generation: 0, timestamp: timestamp)
        guard let row else { return nil }
        let entity = store.layout[Int(key.entity)]
        return slots.map {
            RowFormat.value(row.cells, slot: $0, kind: entity.values[$0].kind)
        }
    }

    func holder(of values: [Value], _ rule: UniquenessRule) throws(SQLiteError) -> RowReference? {
        let columns = rule.constraint.slots.compactMap { rule.entity.values[$0].column }
        let root = store.statements[rule.entity.rootIndex]
        let condition = columns.map { "t0.\($0) = ?" }.joined(separator: " AND ")
        let statement = try connection.statement(
            "SELECT \(root.reader.selectList) FROM \(rule.entity.tableName) t0 WHERE \(condition)")
        defer { statement.finish() }
        for (index, value) in values.enumerated() { statement.bind(index + 1, value: value) }
        return try root.reader.readOne(statement, generation: 0, timestamp: timestamp)
    }
}
