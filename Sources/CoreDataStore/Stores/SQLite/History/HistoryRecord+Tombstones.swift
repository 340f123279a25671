import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

extension HistoryRecord {
    init(origin: WriteOrigin, store: SQLiteStore) {
        self.init(origin: origin, isOn: store.tracksHistory, layout: store.layout)
    }

    /// Reads the values that are preserved after a deletion. Runs one SELECT for an entity with
    /// such values.
    mutating func keepTombstones(
        of keys: ContiguousArray<Int64>, _ entity: EntityLayout, _ store: SQLiteStore,
        _ connection: Connection
    ) throws(SQLiteError) {
        guard isOn else { return }
        let slots = HistoryColumns(entity).preserved
        guard !slots.isEmpty else { return }
        let columns = slots.compactMap { slot in
            entity.values[slot].column.map { entity.values[slot].readExpression(of: $0) }
        }
        let statement = try connection.statement(
            "SELECT Z_PK, \(columns.joined(separator: ", ")) FROM \(entity.tableName) "
                + "WHERE Z_PK IN (SELECT value FROM \(StoreFunctions.integerArray)(?))")
        defer { statement.finish() }
        try statement.bind([.array(keys)])
        while try statement.step() {
            let key = ObjectKey(entity: entity.index, key: statement.integer(0))
            let values = slots.enumerated().map { offset, slot in
                ResultColumn(index: offset + 1, kind: entity.values[slot].kind)
                    .read(statement, store.numbers)
            }
            keep(values, of: key)
        }
    }
}
