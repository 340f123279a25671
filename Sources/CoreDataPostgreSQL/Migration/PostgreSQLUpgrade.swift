import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataStore
import CoreDataTrace
import Foundation

/// The migrations of stores on a server.
struct PostgreSQLUpgrade: StoreUpgrade {
    func inspect(_ location: StoreLocation) throws(CoreDataError) -> StoreInspection {
        try ClosedServerStore(ClosedStore(location.url)).inspection()
    }

    func migrate(
        _ location: StoreLocation, by change: SchemaChange, trace: Trace
    ) throws(CoreDataError) -> Int? {
        let options = try Self.options(location, change.timeoutMilliseconds)
        var result: Result<Int?, CoreDataError>?
        let connections = ServerConnections(options, trace: trace)
        defer { connections.close() }
        do throws(ServerError) {
            try connections.run { connection throws(ServerError) in
                do throws(CoreDataError) {
                    result = .success(try ServerMigration(change, options, connection).run())
                } catch {
                    result = .failure(error)
                }
            }
        } catch {
            throw CoreDataError(error, options.address)
        }
        return try result?.get() ?? nil
    }

    private static func options(
        _ location: StoreLocation, _ milliseconds: Int
    ) throws(CoreDataError) -> ServerOptions {
        try ServerOptions(
            location.url, [NSPersistentStoreTimeoutOption: Double(milliseconds) / 1000])
    }

    /// Migrations on a server defer no work, because removing a column or a table is fast.
    func finishDeferredWork(
        of store: any ObjectStore, at location: StoreLocation, by change: SchemaChange, trace: Trace
    ) throws(CoreDataError) {}

    func replaceContent<T>(
        of location: StoreLocation, _ replacement: ContentReplacement,
        fill: (URL, [AnyHashable: Any]) throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T? {
        let options = try Self.options(location, replacement.timeoutMilliseconds)
        return try ClosedServerStore(options).replaceContent(
            at: location.url, ifHashesAre: replacement.hashes, fill)
    }

    func openHolding(_ request: StoreRequest) throws(CoreDataError) -> any HoldingStore {
        var options = try ServerOptions(request.location.url, request.options)
        options.isAlone = true
        let opened = try StoreOpening(request, options).open()
        return PostgreSQLStore(opened, options, trace: request.trace)
    }
}

extension ClosedServerStore {
    func inspection() throws(CoreDataError) -> StoreInspection {
        let found = try run { connection throws(ServerError) in
            try StoreRecord(schema, connection).map { record throws(ServerError) in
                (record: record, columns: try StoreColumns(schema, connection))
            }
        }
        guard let (record, columns) = found else { throw missing }
        var cached: NSManagedObjectModel?
        var failure: String? = "the store contains no model"
        if let model = record.model {
            do throws(ModelError) {
                cached = try NSManagedObjectModel.cachedModel(model, path: address.description)
                failure = nil
            } catch {
                failure = error.description
            }
        }
        return StoreInspection(
            metadata: record.metadata.shown, cachedModel: cached, cacheFailure: failure,
            carriesModel: record.model != nil
        ) { layout in
            columns.missing(ServerNames(layout, schema: schema).renamed, nil) == nil
        }
    }

    /// Replaces the store by a store that the caller fills in another schema, in one transaction.
    /// Other connections can read the old store in the meantime, but not write to it.
    func replaceContent<T>(
        at url: URL, ifHashesAre hashes: [String: Data],
        _ fill: (URL, [AnyHashable: Any]) throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T? {
        let draft = try Self.draft(url, schema)
        let draftStore = try ClosedServerStore(ClosedStore(draft))
        return try trying { connection throws(CoreDataError) in
            let record = try sql { () throws(ServerError) in
                try StoreOpening.lockMigration(schema, connection)
                return try StoreRecord(schema, connection)
            }
            guard let record else { throw missing }
            let stored = record.metadata.values[VersionDigest.hashesKey] as? [String: Data]
            guard stored == hashes else { return nil }
            try sql { () throws(ServerError) in
                try StoreRecord.lockTables(schemaName, "SHARE", connection)
            }
            // A draft is created only under the lock that this connection holds. So an existing
            // draft was left by a process that has ended.
            try draftStore.prepareDraft()
            do throws(CoreDataError) {
                let filled = try fill(draft, [:])
                try move(from: draftStore, connection)
                return filled
            } catch {
                // The draft is removed after the rollback, because the transaction may have locked
                // it.
                try? connection.rollback()
                try? draftStore.destroy()
                throw error
            }
        }
    }

    /// Creates an empty schema for a draft, and removes an earlier draft.
    ///
    /// - Throws: 134110 if the schema exists and is not a draft, for example another store.
    private func prepareDraft() throws(CoreDataError) {
        try trying { connection throws(CoreDataError) in
            let comment = try sql { () throws(ServerError) in
                let parameters = Parameters()
                try parameters.append(text: schema)
                return try connection.execute(
                    "SELECT coalesce(obj_description(oid, 'pg_namespace'), '') FROM pg_namespace"
                        + " WHERE nspname = $1", parameters
                ).first?.text
            }
            if let comment, comment != Self.draftComment {
                throw CoreDataError(
                    .migration,
                    "The migration builds the new store in the schema '\(schema)' of \(address),"
                        + " which already exists. Rename that schema, and try again.")
            }
            try sql { () throws(ServerError) in
                try erase(connection)
                try StoreOpening.createSchema(schema, connection)
                try connection.runScript(
                    "COMMENT ON SCHEMA \(schemaName) IS '\(Self.draftComment)'")
            }
        }
    }

    private static let draftComment = "draft of a migration"

    private func move(
        from draft: ClosedServerStore, _ connection: Connection
    ) throws(CoreDataError) {
        let model = try sql { () throws(ServerError) in
            try StoreRecord(draft.schema, connection)?.model
        }
        guard let model else { throw draft.missing }
        let layout = try Self.layout(model, draft.address)
        try sql { () throws(ServerError) in
            try StoreOpening.lock(schema, connection)
            try remove(connection)
            try StoreReplacement(
                source: draft.schema, destination: schema, connection: connection
            ).run(layout)
            try draft.erase(connection)
        }
    }

    /// The URL of the schema in which a migration by objects builds the new store. The contents of
    /// the schema are removed first, so no store of a user may have its name.
    private static func draft(_ url: URL, _ schema: String) throws(CoreDataError) -> URL {
        let name = Identifier.fitting("_faultline_migration_\(schema)")
        let problem = CoreDataError(
            .invalidArgument, "The URL \(url.withoutPassword) is not valid; correct it.")
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            throw problem
        }
        var items = parts.queryItems ?? []
        items.removeAll { $0.name == "schema" }
        items.append(URLQueryItem(name: "schema", value: name))
        parts.queryItems = items
        guard let draft = parts.url else { throw problem }
        return draft
    }
}
