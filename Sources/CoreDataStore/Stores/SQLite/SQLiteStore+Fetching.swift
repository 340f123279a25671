import CoreDataModel
import CoreDataSQLite
import CoreDataTrace

/// Fetches and counts.
extension SQLiteStore {
    package func fetchRows(
        _ plan: FetchPlan, generation: UInt64
    ) throws(CoreDataError) -> FetchedRows {
        let reader = statements[plan.entity].reader
        let select = try builder(plan).select(reader.selectList)
        let rows = try read { connection throws(SQLiteError) in
            let statement = try connection.statement(select.text)
            defer { statement.finish() }
            try statement.bind(select.bindings)
            return try reader.readAll(statement, generation: generation, timestamp: Self.coarseNow)
        }
        announce(plan, select.text) {
            rows.blocks.flatMap { block in (0..<block.count).map { key(block.cells(at: $0)) } }
        }
        return rows
    }

    package func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        try fetchKeyPages(plan).allKeys
    }

    package func fetchKeyPages(_ plan: FetchPlan) throws(CoreDataError) -> KeyPages {
        let texts = statements[plan.entity]
        let select = try builder(plan).select(texts.keyList)
        let pages = try read { connection throws(SQLiteError) in
            let statement = try connection.statement(select.text)
            defer { statement.finish() }
            try statement.bind(select.bindings)
            return try texts.reader.readKeyPages(statement)
        }
        announce(plan, select.text) { pages.lazy.map(\.keys).joined() }
        return pages
    }

    package func count(_ plan: FetchPlan) throws(CoreDataError) -> Int {
        let select = try builder(plan).count()
        return try read { connection throws(SQLiteError) in
            let statement = try connection.statement(select.text)
            defer { statement.finish() }
            try statement.bind(select.bindings)
            return try statement.step() ? Int(statement.integer(0)) : 0
        }
    }

    private func builder(_ plan: FetchPlan) -> SelectBuilder {
        SelectBuilder(plan: plan.stored(in: layout), layout: layout, numbers: numbers)
    }

    /// Tells those who want rows what a fetch gave.
    private func announce(
        _ plan: FetchPlan, _ sql: String, _ keys: () -> some Sequence<ObjectKey>
    ) {
        guard trace.isOn, trace.wantsRows else { return }
        let names = keys().map {
            ObjectName(entity: layout[Int($0.entity)].name, key: $0.key, store: identifier)
        }
        trace.record(.rows(RowsEvent(entity: plan.entity.name, sql: sql, objects: names)))
    }

    private func key(_ cells: UnsafeRawPointer) -> ObjectKey {
        ObjectKey(entity: RowFormat.entity(cells), key: RowFormat.key(cells))
    }
}
