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
        let start = ContinuousClock.now
        let rows = try read { connection throws(SQLiteError) in
            let statement = try connection.statement(select.text)
            defer { statement.finish() }
            try statement.bind(select.bindings)
            return try reader.readAll(statement, generation: generation, timestamp: Self.now)
        }
        announce(start) { .fetch(entity: plan.entity.name, rows: rows.count, nanoseconds: $0) }
        return rows
    }

    package func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        let texts = statements[plan.entity]
        let select = try builder(plan).select(texts.keyList)
        let start = ContinuousClock.now
        let keys = try read { connection throws(SQLiteError) in
            let statement = try connection.statement(select.text)
            defer { statement.finish() }
            try statement.bind(select.bindings)
            var keys: ContiguousArray<ObjectKey> = []
            while try statement.step() { keys.append(texts.reader.key(statement)) }
            return keys
        }
        announce(start) { .fetch(entity: plan.entity.name, rows: keys.count, nanoseconds: $0) }
        return keys
    }

    package func count(_ plan: FetchPlan) throws(CoreDataError) -> Int {
        let select = try builder(plan).count()
        let start = ContinuousClock.now
        let count = try read { connection throws(SQLiteError) in
            let statement = try connection.statement(select.text)
            defer { statement.finish() }
            try statement.bind(select.bindings)
            return try statement.step() ? Int(statement.integer(0)) : 0
        }
        announce(start) { .count(entity: plan.entity.name, count: count, nanoseconds: $0) }
        return count
    }

    private func builder(_ plan: FetchPlan) -> SelectBuilder {
        SelectBuilder(plan: plan, layout: layout, numbers: numbers)
    }

    private func announce(_ start: ContinuousClock.Instant, _ event: (UInt64) -> Event) {
        guard trace.isOn else { return }
        let elapsed = (ContinuousClock.now - start).components
        let nanoseconds =
            UInt64(elapsed.seconds) * 1_000_000_000
            + UInt64(elapsed.attoseconds / 1_000_000_000)
        trace.record(event(nanoseconds))
    }
}
