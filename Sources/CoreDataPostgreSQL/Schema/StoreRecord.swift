import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataStore
import Foundation

/// The row of the store's own table: its identifier, its metadata and its model.
struct StoreRecord {
    /// The version of the layout of the tables.
    static let format = 1

    let format: Int
    var metadata: MemoryMetadata
    /// The cached model; nil if the store has none.
    let model: Data?

    /// Reads the row; nil if the schema contains no store.
    init?(_ schema: String, _ connection: Connection) throws(ServerError) {
        let name = Identifier(schema).sql
        guard try Self.exists(SystemTables.store, in: schema, connection) else { return nil }
        let result = try connection.execute(
            "SELECT format, identifier, metadata, model FROM \(name).\(SystemTables.store)")
        guard result.rowCount > 0 else { return nil }
        format = Int(result[0, 0].integer)
        metadata = MemoryMetadata(
            identifier: result[0, 1].text, type: FaultlinePostgreSQLStoreType,
            values: StoreMetadata.decode(Data(result[0, 2].bytes)))
        model = result[0, 3].isNull ? nil : result[0, 3].data
    }

    /// Whether a schema contains a table.
    ///
    /// The statement reads the catalogue. `to_regclass` would not see a table that another
    /// connection has created since the transaction began.
    static func exists(
        _ table: String, in schema: String, _ connection: Connection
    ) throws(ServerError) -> Bool {
        let parameters = Parameters()
        try parameters.append(text: schema)
        try parameters.append(text: table)
        return try connection.execute(
            "SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                + " WHERE n.nspname = $1 AND c.relname = $2", parameters
        ).rowCount > 0
    }

    /// The tables of the store as SQL, with the schema.
    static func tables(
        _ schema: String, _ connection: Connection
    ) throws(ServerError) -> [String] {
        let result = try connection.execute("SELECT tables FROM \(schema).\(SystemTables.store)")
        return withExtendedLifetime(result) {
            (result.first?.elements ?? []).map { "\(schema).\($0.text)" }
        }
    }

    /// Locks the tables of the store until the end of the transaction.
    static func lockTables(
        _ schema: String, _ mode: String, _ connection: Connection
    ) throws(ServerError) {
        let tables = try tables(schema, connection).joined(separator: ", ")
        try connection.runScript("LOCK TABLE \(tables) IN \(mode) MODE")
    }

    /// The metadata as an XML property list, which a person can read.
    static func text(of values: [String: any Sendable]) throws(CoreDataError) -> String {
        let writable = try MemoryMetadata.writable(values)
        do {
            let data = try PropertyListSerialization.data(
                fromPropertyList: writable as [String: Any], format: .xml, options: 0)
            let text = String(decoding: data, as: UTF8.self)
            guard StoreMetadata.decode(data).count == values.count, !text.contains("\0") else {
                throw CoreDataError(
                    .invalidArgument,
                    "Store metadata holds a value that could not be read again, such as a text with"
                        + " the character U+0000; remove the value.")
            }
            return text
        } catch {
            throw CoreDataError(error)
        }
    }

    /// The statement that replaces the metadata.
    static func update(_ text: String, _ schema: String) throws(ServerError) -> PipelinedStatement {
        let parameters = Parameters()
        try parameters.append(text: text)
        return PipelinedStatement(
            "UPDATE \(schema).\(SystemTables.store) SET metadata = $1", parameters)
    }
}
