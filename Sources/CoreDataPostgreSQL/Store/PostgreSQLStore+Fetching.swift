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
        trace.recordRows(of: plan, sql, in: identifier, layout) { rows.keys }
        return rows
    }

    func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey> {
        let texts = texts[plan.entity.index]
        let (keys, sql) = try run(
            plan, { builder throws(QueryRefusal) in try builder.select(texts.keyList) },
            { texts.reader.keys($0) })
        trace.recordRows(of: plan, sql, in: identifier, layout) { keys }
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
        } catch {
            guard error.isOutOfRange else { throw error.coreDataError(self) }
            do throws(Failure) {
                return try run(SelectBuilder(plan: plan, schema: exactSchema), make, body)
            } catch {
                throw error.coreDataError(self)
            }
        }
    }

    /// An error of one attempt to run a plan.
    enum Failure: Error {
        case server(ServerError)
        case refused(CoreDataError)

        /// Whether a computation on the server had a result that does not fit its type.
        var isOutOfRange: Bool {
            switch self {
            case .server(let error): error.isOutOfRange
            case .refused(let error): error.info["SQLState"] == ServerError.outOfRangeState
            }
        }

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
            let residue: Residue
            do throws(CoreDataError) {
                residue = try Residue(of: builder, after: error)
            } catch {
                throw .refused(error)
            }
            return try run(residue, make, body)
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
                select = try ResidueTest(residue, source: source).statement(make)
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
                    // A transaction in which a statement has failed cannot be committed.
                    if connection.isTransactionFailed {
                        throw ServerError(client: "a statement of the transaction has failed")
                    }
                    return nil
                }
            }
            if let result { return result }
        } catch {
            throw failure ?? .server(error)
        }
        throw failure ?? .refused(CoreDataError(.storeOperation, "A fetch ended without rows."))
    }

    static func run(
        _ select: SpelledStatement, _ connection: Connection
    ) throws(ServerError) -> QueryResult {
        try connection.execute(select.sql, try Parameters(select.bindings))
    }
}

extension ServerError {
    /// Whether the result of a computation does not fit into its type.
    var isOutOfRange: Bool { sqlState == Self.outOfRangeState }
    fileprivate static let outOfRangeState = "22003"
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
