import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore
import CoreDataTrace

/// Fetching and counting.
extension PostgreSQLStore {
    func fetchRows(_ plan: FetchPlan, generation: UInt64) throws(CoreDataError) -> FetchedRows {
        let reader = texts[plan.entity.index].reader
        let (rows, sql) = try run(
            plan, { builder throws(QueryRefusal) in try builder.select(reader.selectList) },
            { reader.rows($0, generation: generation, timestamp: Self.now) })
        announce(plan, sql) { rows.keys }
        return rows
    }

    func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        let texts = texts[plan.entity.index]
        let (keys, sql) = try run(
            plan, { builder throws(QueryRefusal) in try builder.select(texts.keyList) },
            { texts.reader.keys($0) })
        announce(plan, sql) { keys }
        return keys
    }

    func count(_ plan: FetchPlan) throws(CoreDataError) -> Int {
        try run(
            plan, { builder throws(QueryRefusal) in try builder.count() },
            { Int($0.first?.integer ?? 0) }
        ).found
    }

    /// Runs a plan's statement. If SQL cannot express all of the plan's predicate, the other
    /// conditions are tested in memory, and the statement selects the rows that pass.
    ///
    /// - Parameters:
    ///   - make: creates the statement.
    ///   - body: reads the rows of the statement.
    /// - Returns: the result of the body, and the statement's text.
    func run<Found>(
        _ plan: FetchPlan, _ make: (SelectBuilder) throws(QueryRefusal) -> Fragment,
        _ body: (QueryResult) -> Found
    ) throws(CoreDataError) -> (found: Found, sql: String) {
        let plan = plan.stored(in: layout)
        do throws(Failure) {
            return try run(SelectBuilder(plan: plan, schema: schema), make, body)
        } catch .server(let error) where error.isOutOfRange {
            do throws(Failure) {
                return try run(SelectBuilder(plan: plan, schema: exactSchema), make, body)
            } catch {
                throw error.coreDataError(self)
            }
        } catch {
            throw error.coreDataError(self)
        }
    }

    /// An error of one attempt to run a plan.
    enum Failure: Error {
        case server(ServerError)
        case refused(CoreDataError)

        func coreDataError(_ store: PostgreSQLStore) -> CoreDataError {
            switch self {
            case .server(let error): store.failure(error)
            case .refused(let error): error
            }
        }
    }

    private func run<Found>(
        _ builder: SelectBuilder, _ make: (SelectBuilder) throws(QueryRefusal) -> Fragment,
        _ body: (QueryResult) -> Found
    ) throws(Failure) -> (found: Found, sql: String) {
        let select: SpelledStatement
        do throws(QueryRefusal) {
            select = try make(builder).spelled(in: builder.schema.dialect)
        } catch {
            return try run(try residue(of: builder, error), make, body)
        }
        do throws(ServerError) {
            let found = try connections.read { connection throws(ServerError) in
                body(try Self.run(select, connection))
            }
            return (found, select.sql)
        } catch {
            throw .server(error)
        }
    }

    private func run<Found>(
        _ residue: Residue, _ make: (SelectBuilder) throws(QueryRefusal) -> Fragment,
        _ body: (QueryResult) -> Found
    ) throws(Failure) -> (found: Found, sql: String) {
        try inOneState { connection throws(Failure) in
            let source = ServerResidueSource(self, connection)
            let select: SpelledStatement
            do throws(CoreDataError) {
                let passing = try ResidueTest(residue, source: source).passing()
                do throws(QueryRefusal) {
                    select = try make(residue.builder(passing: passing))
                        .spelled(in: schema.dialect)
                } catch {
                    throw CoreDataError(error)
                }
            } catch {
                throw .refused(error)
            }
            do throws(ServerError) {
                return (body(try Self.run(select, connection)), select.sql)
            } catch {
                throw .server(error)
            }
        }
    }

    /// Runs a body whose statements all see one state of the database.
    func inOneState<T>(
        _ body: (Connection) throws(Failure) -> T
    ) throws(Failure) -> T {
        var failure: Failure?
        do throws(ServerError) {
            let result = try connections.readOneState { connection throws(ServerError) -> T? in
                do throws(Failure) { return try body(connection) } catch {
                    // The server's errors end the transaction.
                    if case .server(let problem) = error { throw problem }
                    failure = error
                    return nil
                }
            }
            if let result { return result }
        } catch {
            throw .server(error)
        }
        throw failure ?? .refused(CoreDataError(.storeOperation, "A fetch ended without rows."))
    }

    /// The part of a rejected request that is evaluated in memory.
    func residue(
        of builder: SelectBuilder, _ refusal: QueryRefusal
    ) throws(Failure) -> Residue {
        do throws(QueryRefusal) {
            guard let residue = try Residue(of: builder) else { throw refusal }
            return residue
        } catch {
            throw .refused(CoreDataError(error))
        }
    }

    static func run(
        _ select: SpelledStatement, _ connection: Connection
    ) throws(ServerError) -> QueryResult {
        try connection.execute(select.sql, try Parameters(select.bindings))
    }

    /// Records the results of a fetch for listeners that request rows.
    private func announce(
        _ plan: FetchPlan, _ sql: String, _ keys: () -> some Sequence<ObjectKey>
    ) {
        guard trace.isOn, trace.wantsRows else { return }
        let names = keys().map {
            ObjectName(entity: layout[Int($0.entity)].name, key: $0.key, store: identifier)
        }
        trace.record(.rows(RowsEvent(entity: plan.entity.name, sql: sql, objects: names)))
    }
}

extension ServerError {
    /// Whether the result of a computation does not fit into its type.
    var isOutOfRange: Bool { sqlState == "22003" }
}

/// Reads rows for the test of a residue, in the transaction of a connection.
struct ServerResidueSource: ResidueSource {
    private let store: PostgreSQLStore
    private let connection: Connection

    init(_ store: PostgreSQLStore, _ connection: Connection) {
        assert(connection.isInTransaction, "candidates and members must be read in one transaction")
        self.store = store
        self.connection = connection
    }

    var layout: ModelLayout { store.layout }

    private func failing<T>(
        _ body: () throws(ServerError) -> T
    ) throws(CoreDataError) -> T {
        do throws(ServerError) { return try body() } catch { throw store.failure(error) }
    }

    func candidates(of residue: Residue) throws(CoreDataError) -> FetchedRows {
        let reader = store.texts[residue.candidates.plan.entity.index].reader
        let select: SpelledStatement
        do throws(QueryRefusal) {
            select = try residue.candidates.select(reader.selectList)
                .spelled(in: store.schema.dialect)
        } catch {
            throw CoreDataError(error)
        }
        return try failing { () throws(ServerError) in
            reader.rows(
                try PostgreSQLStore.run(select, connection), generation: 0,
                timestamp: PostgreSQLStore.now)
        }
    }

    func rows(
        _ keys: ContiguousArray<Int64>, _ entity: EntityLayout
    ) throws(CoreDataError) -> FetchedRows {
        try failing { () throws(ServerError) in try store.readRows(keys, entity, connection, 0) }
    }

    func destinations(
        of owners: ContiguousArray<Int64>, _ entity: EntityLayout, slot: Int
    ) throws(CoreDataError) -> FetchedDestinations {
        try failing { () throws(ServerError) in
            try store.readDestinations(owners, entity, slot, connection, 0)
        }
    }

    func note(_ text: String) {
        if store.trace.isOn { store.trace.record(.annotation(text)) }
    }
}
