import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore

/// Runs the statements of a batch deletion in a transaction of a connection.
struct ServerDeletionSource: BatchDeletionSource {
    typealias Failure = PostgreSQLStore.Failure
    private let store: PostgreSQLStore
    private let connection: Connection

    init(_ store: PostgreSQLStore, _ connection: Connection) {
        assert(connection.isInTransaction, "rows are deleted outside a transaction")
        self.store = store
        self.connection = connection
    }

    var schema: StoreSchema { store.schema }

    func isAmong(_ column: String) -> String { "\(column) = ANY($1)" }

    func execute(_ sql: String, _ keys: ContiguousArray<Int64>) throws(Failure) {
        _ = try run(sql, keys)
    }

    func integers(
        _ sql: String, _ keys: ContiguousArray<Int64>
    ) throws(Failure) -> ContiguousArray<Int64> {
        let result = try run(sql, keys)
        return ContiguousArray((0..<result.rowCount).map { result[$0, 0].integer })
    }

    func rows(
        of entity: EntityLayout, where condition: String, _ keys: ContiguousArray<Int64>
    ) throws(Failure) -> ContiguousArray<ObjectKey> {
        let list = store.texts[entity.index].keyList
        return try self.keys(
            of: entity,
            "SELECT \(list) FROM \(entity.tableName) t0 WHERE \(condition)"
                + " ORDER BY t0.\(schema.names.key)", keys)
    }

    func keys(
        of entity: EntityLayout, _ sql: String, _ keys: ContiguousArray<Int64>
    ) throws(Failure) -> ContiguousArray<ObjectKey> {
        store.texts[entity.index].reader.keys(try run(sql, keys))
    }

    func keepTombstones(
        of keys: ContiguousArray<Int64>, _ entity: EntityLayout, in history: inout HistoryRecord
    ) throws(Failure) {
        guard let statement = store.keeping(keys, of: entity) else { return }
        let results = try PostgreSQLStore.failing { () throws(ServerError) in
            try connection.executePipeline([statement])
        }
        store.keep(results[0], of: entity, in: &history)
    }

    func refusal(_ refusal: BatchDeletionRefusal, sql: String) -> Failure {
        .refused(CoreDataError(.saveConflicts, refusal.message))
    }

    private func run(
        _ sql: String, _ keys: ContiguousArray<Int64>
    ) throws(Failure) -> QueryResult {
        try PostgreSQLStore.failing { () throws(ServerError) in
            let parameters = Parameters()
            parameters.append(int8s: keys)
            return try connection.execute(sql, parameters)
        }
    }
}
