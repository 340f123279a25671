import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataStore
import CoreDataTrace
import Foundation

/// Reads, changes, removes and replaces a store on a server that is not open. Each call opens one
/// connection and runs one transaction.
struct ClosedServerStore {
    private let options: ServerOptions

    init(_ store: ClosedStore) throws(CoreDataError) {
        options = try ServerOptions(store.url, store.options)
    }

    var schema: String { options.schema }
    var address: ServerAddress { options.address }
    private var schemaName: String { Identifier(schema).sql }

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

    private var missing: CoreDataError {
        CoreDataError(
            .readOnlyFileMissing,
            "The schema '\(schema)' of \(options.address) contains no store; correct the URL.")
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
        var problem: CoreDataError?
        try run { connection throws(ServerError) in
            try StoreOpening.lock(schema, connection)
            guard var record = try StoreRecord(schema, connection) else {
                problem = missing
                return
            }
            record.metadata.replace(with: values)
            do throws(CoreDataError) {
                let text = try StoreRecord.text(of: record.metadata.values)
                do throws(ServerError) {
                    _ = try connection.executePipeline([StoreRecord.update(text, schemaName)])
                } catch {
                    problem = CoreDataError(error, options.address)
                }
            } catch {
                problem = error
            }
        }
        if let problem { throw problem }
    }

    /// Removes the tables of the store, and the schema if it is then empty.
    func destroy() throws(CoreDataError) {
        try run { connection throws(ServerError) in
            try StoreOpening.lock(schema, connection)
            try remove(connection)
            let parameters = Parameters()
            try parameters.append(text: schema)
            let isEmpty = try connection.execute(
                "SELECT NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n"
                    + " ON n.oid = c.relnamespace WHERE n.nspname = $1)", parameters)
            guard schema != "public", isEmpty.first?.bool == true else { return }
            try connection.runScript("DROP SCHEMA IF EXISTS \(schemaName)")
        }
    }

    /// The tables of the store as SQL, without the schema; empty without a store.
    private func tables(_ connection: Connection) throws(ServerError) -> [String] {
        guard try StoreRecord(schema, connection) != nil else { return [] }
        let result = try connection.execute(
            "SELECT tables FROM \(schemaName).\(SystemTables.store)")
        return result.first?.elements.map(\.text) ?? []
    }

    func remove(_ connection: Connection) throws(ServerError) {
        let tables = try tables(connection)
        if tables.isEmpty { return }
        let names = (tables + HistoryTexts.tables).map { "\(schemaName).\($0)" }
            .joined(separator: ", ")
        try connection.runScript("DROP TABLE IF EXISTS \(names) CASCADE")
    }
}
