import CoreDataModel
import CoreDataSQL
import CoreDataSQLite
import CoreDataTrace

extension SQLiteStore {
    package func fetchRows(
        _ plan: FetchPlan, generation: UInt64
    ) throws(CoreDataError) -> FetchedRows {
        let reader = statements[plan.entity].reader
        let (rows, sql) = try run(
            plan, { builder throws(QueryRefusal) in try builder.select(reader.selectList) },
            { statement throws(SQLiteError) in
                try reader.readAll(
                    statement, generation: generation, timestamp: Self.coarseNow)
            })
        trace.recordRows(of: plan, sql, in: identifier, layout) { rows.keys }
        return rows
    }

    package func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        try fetchKeyPages(plan).allKeys
    }

    package func fetchKeyPages(_ plan: FetchPlan) throws(CoreDataError) -> KeyPages {
        let texts = statements[plan.entity]
        let (pages, sql) = try run(
            plan, { builder throws(QueryRefusal) in try builder.select(texts.keyList) },
            { statement throws(SQLiteError) in try texts.reader.readKeyPages(statement) })
        trace.recordRows(of: plan, sql, in: identifier, layout) { pages.lazy.map(\.keys).joined() }
        return pages
    }

    package func count(_ plan: FetchPlan) throws(CoreDataError) -> Int {
        try run(
            plan, { builder throws(QueryRefusal) in try builder.count() },
            { statement throws(SQLiteError) in
                try statement.step() ? Int(statement.integer(0)) : 0
            }
        ).found
    }

    /// Runs a plan's statement.
    ///
    /// Conditions that SQL cannot express are tested in memory first, and the statement then
    /// selects the rows that pass. The test runs one more statement, and one for each relationship
    /// that it follows.
    ///
    /// - Parameters:
    ///   - make: creates the statement.
    ///   - body: reads the rows of the statement.
    /// - Returns: the result of the body, and the statement's text.
    func run<Found: Sendable>(
        _ plan: FetchPlan, _ make: (SelectBuilder) throws(QueryRefusal) -> Fragment,
        _ body: (Statement) throws(SQLiteError) -> Found
    ) throws(CoreDataError) -> (found: Found, sql: String) {
        let builder = builder(plan)
        let select: SpelledStatement
        do throws(QueryRefusal) {
            select = try make(builder).spelled(in: schema.dialect)
        } catch {
            return try run(try Residue(of: builder, after: error), make, body)
        }
        let found = try read { connection throws(SQLiteError) in
            try Self.run(select, connection, body)
        }
        return (found, select.sql)
    }

    private func run<Found: Sendable>(
        _ residue: Residue, _ make: (SelectBuilder) throws(QueryRefusal) -> Fragment,
        _ body: (Statement) throws(SQLiteError) -> Found
    ) throws(CoreDataError) -> (found: Found, sql: String) {
        var refused: CoreDataError?
        let result = try read { connection throws(SQLiteError) -> (found: Found, sql: String)? in
            // The transaction lets the test and the statement read the same state of the file.
            try connection.inTransaction {
                () throws(SQLiteError) -> (found: Found, sql: String)? in
                do throws(CoreDataError) {
                    let select = try ResidueTest(
                        residue, source: SQLiteResidueSource(self, connection)
                    ).statement(make)
                    let found = try failing { () throws(SQLiteError) in
                        try Self.run(select, connection, body)
                    }
                    return (found, select.sql)
                } catch {
                    refused = error
                    return nil
                }
            }
        }
        if let result { return result }
        throw refused ?? CoreDataError(.storeOperation, "A fetch ended without rows.")
    }

    func failing<T>(_ body: () throws(SQLiteError) -> T) throws(CoreDataError) -> T {
        do throws(SQLiteError) {
            return try body()
        } catch {
            throw failure(error)
        }
    }

    static func run<Found>(
        _ select: SpelledStatement, _ connection: Connection,
        _ body: (Statement) throws(SQLiteError) -> Found
    ) throws(SQLiteError) -> Found {
        let statement = try connection.statement(select.sql)
        defer { statement.finish() }
        try statement.bind(select.bindings)
        return try body(statement)
    }

    func builder(_ plan: FetchPlan) -> SelectBuilder {
        SelectBuilder(plan: plan.stored(in: layout), schema: schema)
    }
}
