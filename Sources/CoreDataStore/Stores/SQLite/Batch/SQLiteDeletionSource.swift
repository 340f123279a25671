import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// Runs the statements of a batch deletion in a transaction of a connection.
struct SQLiteDeletionSource: BatchDeletionSource {
    private let store: SQLiteStore
    private let connection: Connection

    init(_ store: SQLiteStore, _ connection: Connection) {
        assert(connection.isInTransaction, "rows are deleted outside a transaction")
        self.store = store
        self.connection = connection
    }

    var schema: StoreSchema { store.schema }

    func isAmong(_ column: String) -> String {
        "\(column) IN (SELECT value FROM \(StoreFunctions.integerArray)(?))"
    }

    func execute(_ sql: String, _ keys: ContiguousArray<Int64>) throws(SQLiteError) {
        let statement = try connection.statement(sql)
        try statement.bind([.array(keys)])
        try statement.run()
    }

    func integers(
        _ sql: String, _ keys: ContiguousArray<Int64>
    ) throws(SQLiteError) -> ContiguousArray<Int64> {
        let statement = try connection.statement(sql)
        defer { statement.finish() }
        try statement.bind([.array(keys)])
        var found: ContiguousArray<Int64> = []
        while try statement.step() { found.append(statement.integer(0)) }
        return found
    }

    func rows(
        of entity: EntityLayout, where condition: String, _ keys: ContiguousArray<Int64>
    ) throws(SQLiteError) -> ContiguousArray<ObjectKey> {
        let list = store.statements[entity].keyList
        return try self.keys(
            of: entity, "SELECT \(list) FROM \(entity.tableName) t0 WHERE \(condition)", keys)
    }

    func keys(
        of entity: EntityLayout, _ sql: String, _ keys: ContiguousArray<Int64>
    ) throws(SQLiteError) -> ContiguousArray<ObjectKey> {
        let statement = try connection.statement(sql)
        defer { statement.finish() }
        try statement.bind([.array(keys)])
        return try store.statements[entity].reader.readKeys(statement)
    }

    func keepTombstones(
        of keys: ContiguousArray<Int64>, _ entity: EntityLayout, in history: inout HistoryRecord
    ) throws(SQLiteError) {
        try history.keepTombstones(of: keys, entity, store, connection)
    }

    func refusal(_ refusal: BatchDeletionRefusal, sql: String) -> SQLiteError {
        .trigger(refusal.problem, sql: sql)
    }
}
