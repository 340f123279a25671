import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore
import Foundation

/// Copies a store into another schema of the same database, with its identifier, keys and versions.
struct StoreReplacement {
    let source: String
    let destination: String
    let connection: Connection

    private var sourceName: String { Identifier(source).sql }
    private var destinationName: String { Identifier(destination).sql }

    /// Copies the store in the open transaction. The destination must not contain a store.
    ///
    /// - Parameter layout: the layout of the source's model.
    func run(_ layout: ModelLayout) throws(ServerError) {
        let numbers = try StoreOpening.numbers(layout, source, connection)
        let kept = Set(layout.entities.map(\.index).filter { numbers.number(of: $0) > 0 })
        let texts = SchemaTexts(
            layout, numbers: numbers, schema: destination, entityIndexes: kept)
        try StoreOpening.createSchema(destination, connection)
        let statements =
            SchemaTexts.systemTables(destination) + texts.statements()
        try connection.runScript(statements.joined(separator: ";\n"))
        for table in texts.tableNames { try copy(table) }
        try copyHistory()
        let sources = SchemaTexts(layout, numbers: numbers, schema: source, entityIndexes: kept)
        for root in texts.roots {
            let copy = texts.sequence(of: root).sqlLiteral
            try connection.execute(
                "SELECT setval(\(copy), last_value) FROM \(sources.sequence(of: root))")
        }
    }

    /// Copies the history, if the source has one.
    private func copyHistory() throws(ServerError) {
        let (original, copy) = (HistoryTexts(source), HistoryTexts(destination))
        guard try original.exist(connection) else { return }
        let statements = copy.creation + copy.copying(from: original)
        try connection.runScript(statements.joined(separator: ";\n"))
    }

    private func copy(_ table: String) throws(ServerError) {
        let parameters = Parameters()
        try parameters.append(text: "\(sourceName).\(table)")
        let result = try connection.execute(
            "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute"
                + " WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped",
            parameters)
        let columns = result.first?.text ?? "*"
        try connection.execute(
            "INSERT INTO \(destinationName).\(table)(\(columns))"
                + " SELECT \(columns) FROM \(sourceName).\(table)")
    }
}

extension ClosedServerStore {
    /// Replaces the store by a copy of another store of the same database, in one transaction.
    ///
    /// - Throws: `unsupported` for a store in another database.
    func replace(by source: ClosedServerStore) throws(CoreDataError) {
        let identifier = try source.metadata()[NSStoreUUIDKey] as? String
        try trying { connection throws(CoreDataError) in
            let record = try sql { () throws(ServerError) in
                for schema in [schema, source.schema].sorted() {
                    try StoreOpening.lock(schema, connection)
                }
                return try StoreRecord(source.schema, connection)
            }
            guard let record, record.metadata.identifier == identifier, let model = record.model
            else {
                throw CoreDataError(
                    .unsupported,
                    "A store on a server can only be replaced by a store of the same database, and"
                        + " \(source.address) is in another one. Use migratePersistentStore.")
            }
            let layout = try Self.layout(model, source.address)
            try sql { () throws(ServerError) in
                try remove(connection)
                try StoreReplacement(
                    source: source.schema, destination: schema, connection: connection
                ).run(layout)
            }
        }
    }

    static func layout(
        _ model: Data, _ address: ServerAddress
    ) throws(CoreDataError) -> ModelLayout {
        do {
            let model = try NSManagedObjectModel.cachedModel(model, path: address.description)
            try model.freeze()
            return model.layout
        } catch {
            throw CoreDataError(error)
        }
    }
}
