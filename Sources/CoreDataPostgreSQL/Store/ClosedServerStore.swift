import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataStore
import CoreDataTrace
import Foundation

/// Reads, changes, removes and replaces a store on a server that is not open. Each call opens one
/// connection and runs one transaction.
struct ClosedServerStore {
    private let options: ServerOptions

    init(_ options: ServerOptions) { self.options = options }

    init(_ store: ClosedStore) throws(CoreDataError) {
        options = try ServerOptions(store.url, store.options)
    }

    var schema: String { options.schema }
    var address: ServerAddress { options.address }
    var schemaName: String { Identifier(schema).sql }

    func run<T>(
        _ body: (Connection) throws(ServerError) -> T
    ) throws(CoreDataError) -> T {
        do throws(ServerError) {
            let connection = try Connection(options.address, options: options.connection)
            return try connection.transaction { () throws(ServerError) in try body(connection) }
        } catch {
            throw CoreDataError(error, options.address)
        }
    }

    var missing: CoreDataError {
        CoreDataError(
            .readOnlyFileMissing,
            "The schema '\(schema)' of \(options.address) contains no store; correct the URL.")
    }

    /// Runs a body in one transaction, which an error of the body rolls back.
    func trying<T>(
        _ body: (Connection) throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T {
        let connection = try sql { () throws(ServerError) in
            try Connection(options.address, options: options.connection)
        }
        return try connection.transaction(failing: { CoreDataError($0, options.address) }) {
            () throws(CoreDataError) in try body(connection)
        }
    }

    func sql<T>(_ body: () throws(ServerError) -> T) throws(CoreDataError) -> T {
        do throws(ServerError) { return try body() } catch {
            throw CoreDataError(error, options.address)
        }
    }

    func exists() throws(CoreDataError) -> Bool {
        try run { connection throws(ServerError) in
            try StoreRecord(schema, connection) != nil
        }
    }

    func metadata() throws(CoreDataError) -> [String: any Sendable] {
        let record = try run { connection throws(ServerError) in
            try StoreRecord(schema, connection)
        }
        guard let record else { throw missing }
        return record.metadata.shown
    }

    func setMetadata(_ values: [String: any Sendable]) throws(CoreDataError) {
        try trying { connection throws(CoreDataError) in
            let record = try sql { () throws(ServerError) in
                try StoreOpening.lock(schema, connection)
                return try StoreRecord(schema, connection)
            }
            guard var record else { throw missing }
            record.metadata.replace(with: values)
            let text = try StoreRecord.text(of: record.metadata.values)
            _ = try sql { () throws(ServerError) in
                try connection.executePipeline([try StoreRecord.update(text, schemaName)])
            }
        }
    }

    /// Removes the tables of the store, and the schema if it is then empty.
    func destroy() throws(CoreDataError) {
        try run { connection throws(ServerError) in
            try StoreOpening.lock(schema, connection)
            try erase(connection)
        }
    }

    func erase(_ connection: Connection) throws(ServerError) {
        try remove(connection)
        let parameters = Parameters()
        try parameters.append(text: schema)
        let isEmpty = try connection.execute(
            "SELECT NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n"
                + " ON n.oid = c.relnamespace WHERE n.nspname = $1)", parameters)
        guard schema != "public", isEmpty.first?.bool == true else { return }
        try connection.runScript("DROP SCHEMA IF EXISTS \(schemaName)")
    }

    func remove(_ connection: Connection) throws(ServerError) {
        guard try StoreRecord(schema, connection) != nil else { return }
        let history = HistoryTexts.tables.map { "\(schemaName).\($0)" }
        let names = (try StoreRecord.tables(schemaName, connection) + history)
            .joined(separator: ", ")
        try connection.runScript("DROP TABLE IF EXISTS \(names) CASCADE")
    }
}

extension Connection {
    /// Runs a body in one transaction, which an error of the body rolls back.
    ///
    /// - Parameter failure: converts the errors of the server.
    func transaction<T>(
        failing failure: (ServerError) -> CoreDataError, _ body: () throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T {
        func run(_ statement: () throws(ServerError) -> Void) throws(CoreDataError) {
            do throws(ServerError) { try statement() } catch { throw failure(error) }
        }
        try run { () throws(ServerError) in try begin() }
        do throws(CoreDataError) {
            let result = try body()
            try run { () throws(ServerError) in try commit() }
            return result
        } catch {
            // The first error is thrown. Without a commit, the server rolls back on closing.
            try? rollback()
            throw error
        }
    }
}
