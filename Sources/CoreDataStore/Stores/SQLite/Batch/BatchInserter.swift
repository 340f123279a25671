import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

/// Inserts the rows of a batch, in the transaction of its caller.
///
/// Without uniqueness constraints, one statement inserts sixteen rows. With them, each row has its
/// own statement. The statement's text determines what happens to an existing row.
struct BatchInserter {
    package let store: SQLiteStore
    package let batch: BatchPlan.Insert
    package let connection: Connection

    package func run(
        _ history: inout HistoryRecord
    ) throws(SQLiteError) -> ContiguousArray<ObjectKey> {
        let count = batch.named.count
        guard count > 0 else { return [] }
        assert(
            batch.values.count == count * batch.entity.values.count,
            "a row of the batch lacks a value")
        let first = try PrimaryKeys(layout: store.layout, numbers: store.numbers)
            .take(count, for: batch.entity, connection)
        if batch.entity.uniquenessConstraints.isEmpty {
            return try insertAll(first, &history)
        }
        return try insertEach(first, &history)
    }

    private func key(_ number: Int64) -> ObjectKey {
        ObjectKey(entity: batch.entity.index, key: number)
    }

    private func insertAll(
        _ first: Int64, _ history: inout HistoryRecord
    ) throws(SQLiteError) -> ContiguousArray<ObjectKey> {
        let texts = store.statements[batch.entity].insert
        let rows = rows(first)
        var row = 0
        while row < batch.named.count {
            let rest = batch.named.count - row
            let size = rest >= InsertColumns.rowsPerGroup ? InsertColumns.rowsPerGroup : 1
            let text = size == 1 ? texts.one : texts.group
            let statement = try connection.statement(number: text.number, text.sql)
            bind(rows, row..<(row + size), texts.columns, statement)
            try statement.run()
            row += size
        }
        let keys = ContiguousArray((0..<batch.named.count).map { key(first + Int64($0)) })
        history.inserted(keys)
        return keys
    }

    private func rows(_ first: Int64) -> SavePlan.Insert {
        SavePlan.Insert(
            entity: batch.entity,
            keys: ContiguousArray(first..<(first + Int64(batch.named.count))),
            values: batch.values)
    }

    private func bind(
        _ rows: SavePlan.Insert, _ range: Range<Int>, _ columns: InsertColumns,
        _ statement: Statement
    ) {
        let number = store.numbers.number(of: batch.entity.index)
        for row in range {
            columns.bind(
                place: row - range.lowerBound, cells: rows.cells(row), number: number,
                to: statement, numbers: store.numbers)
        }
    }

    private func insertEach(
        _ first: Int64, _ history: inout HistoryRecord
    ) throws(SQLiteError) -> ContiguousArray<ObjectKey> {
        let columns = store.statements[batch.entity].insert.columns
        let texts = InsertTexts(batch.entity, schema: store.schema)
        let rows = rows(first)
        var keys: ContiguousArray<ObjectKey> = []
        var sql = ""
        for row in batch.named.indices {
            // Consecutive rows usually set the same slots, so they can use the same SQL text.
            if row == 0 || batch.named[row] != batch.named[row - 1] {
                sql = try text(texts, named: batch.named[row])
            }
            let statement = try connection.statement(sql)
            bind(rows, row..<(row + 1), columns, statement)
            defer { statement.finish() }
            var written: Int64?
            while try statement.step() { written = statement.integer(0) }
            guard let written else { continue }
            keys.append(key(written))
            if written == first + Int64(row) {
                history.inserted([key(written)])
            } else {
                history.updated([key(written)], slots: batch.named[row])
            }
        }
        return keys
    }

    private func text(_ texts: InsertTexts, named: [Int]) throws(SQLiteError) -> String {
        switch batch.duplicates {
        case .keepStored: return texts.unlessStored
        case .updateStored:
            do throws(QueryRefusal) {
                return try texts.updating(named)
            } catch {
                throw SQLiteError(extendedCode: 1, message: error.message)
            }
        }
    }
}
