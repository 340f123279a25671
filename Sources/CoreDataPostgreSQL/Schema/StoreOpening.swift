import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore
import Foundation

/// Opens or creates a store on a server; created for one call.
struct StoreOpening {
    private let request: StoreRequest
    private let options: ServerOptions

    init(_ request: StoreRequest, _ options: ServerOptions) {
        self.request = request
        self.options = options
    }

    struct Opened {
        let connections: ServerConnections
        /// The model's layout, with the names on the server.
        let layout: ModelLayout
        let numbers: EntityNumbers
        let metadata: MemoryMetadata
        let tracksHistory: Bool
        /// The store contains a history, and this program would not record its transactions in it.
        let isLockedByHistory: Bool
    }

    private var schema: String { options.schema }

    func open() throws(CoreDataError) -> Opened {
        let connections: ServerConnections
        do throws(ServerError) {
            connections =
                try options.isAlone
                ? ServerConnections(alone: options, trace: request.trace)
                : ServerConnections(options, trace: request.trace)
        } catch {
            throw CoreDataError(error, options.address)
        }
        do throws(CoreDataError) { return try open(connections) } catch {
            connections.close()
            throw error
        }
    }

    private func open(_ connections: ServerConnections) throws(CoreDataError) -> Opened {
        var problem: CoreDataError?
        do throws(ServerError) {
            let opened = try connections.run { connection throws(ServerError) -> Opened? in
                do throws(CoreDataError) {
                    try check(connection)
                    var found = try existing(connection)
                    if found == nil { found = try create(connection) }
                    guard let found else { return nil }
                    let (tracks, isLocked) = try openHistory(connection)
                    return Opened(
                        connections: connections, layout: found.layout, numbers: found.numbers,
                        metadata: found.metadata, tracksHistory: tracks,
                        isLockedByHistory: isLocked)
                } catch {
                    problem = error
                    return nil
                }
            }
            if let opened { return opened }
        } catch {
            problem = CoreDataError(error, options.address)
        }
        throw problem ?? CoreDataError(.storeOpen, "The store \(options.address) was not opened.")
    }

    private func failing<T>(_ body: () throws(ServerError) -> T) throws(CoreDataError) -> T {
        do throws(ServerError) { return try body() } catch {
            throw CoreDataError(error, options.address)
        }
    }

    /// Checks the server's version and the encoding of the database.
    private func check(_ connection: Connection) throws(CoreDataError) {
        let oldest = 15
        guard connection.serverVersion >= oldest * 10_000 else {
            throw CoreDataError(
                .storeOpen,
                "The server of \(options.address) has the version"
                    + " \(connection.serverVersion / 10_000); use PostgreSQL \(oldest) or later.")
        }
        let encoding = try failing { () throws(ServerError) in
            try connection.firstText("SHOW server_encoding")
        }
        guard encoding == "UTF8" else {
            throw CoreDataError(
                .storeOpen,
                "The database of \(options.address) has the encoding \(encoding ?? "unknown");"
                    + " create a database with the encoding UTF8.")
        }
    }
}

// MARK: Existing stores

extension StoreOpening {
    private typealias Found = (
        layout: ModelLayout, numbers: EntityNumbers, metadata: MemoryMetadata
    )

    /// The store in the schema; nil if the schema contains none.
    private func existing(_ connection: Connection) throws(CoreDataError) -> Found? {
        let record = try failing { () throws(ServerError) in
            try StoreRecord(schema, connection)
        }
        guard var record else { return nil }
        guard record.format == StoreRecord.format else {
            throw CoreDataError(
                .storeOpen,
                "The store \(options.address) has the format \(record.format), and this version"
                    + " reads the format \(StoreRecord.format); use the version that created the"
                    + " store.")
        }
        try checkVersion(record.metadata)
        if options.ignoresVersionHashes { try adopt(&record.metadata) }
        let layout = ServerNames(request.model.layout, schema: schema).renamed
        let numbers = try failing { () throws(ServerError) in
            try Self.numbers(layout, schema, connection)
        }
        try checkColumns(layout, connection)
        return (layout, numbers, record.metadata)
    }

    private func checkVersion(_ metadata: MemoryMetadata) throws(CoreDataError) {
        let path = options.address.description
        if !options.isAlone, let error = StoreMetadata.dueError(metadata.values, path: path) {
            throw error
        }
        guard request.describesModel, !options.ignoresVersionHashes else { return }
        let key = NSStoreModelVersionHashesKey
        guard let expected = request.modelMetadata[key] as? [String: Data],
            let stored = metadata.values[key] as? [String: Data], stored != expected
        else { return }
        throw CoreDataError.incompatible(metadata.shown, stored, expected, path)
    }

    /// Replaces the values that describe the model. The next save writes them.
    private func adopt(_ metadata: inout MemoryMetadata) throws(CoreDataError) {
        let values = metadata.values.merging(request.modelMetadata) { $1 }
        metadata = MemoryMetadata(
            identifier: metadata.identifier, type: metadata.type, values: values)
        metadata.isChanged = true
    }

    /// The numbers of the entities in the store; 0 for an entity that the store does not keep.
    static func numbers(
        _ layout: ModelLayout, _ schema: String, _ connection: Connection
    ) throws(ServerError) -> EntityNumbers {
        let result = try connection.execute(
            "SELECT number, name FROM \(Identifier(schema).sql).\(SystemTables.entities)")
        var numbers: [String: Int64] = [:]
        for row in 0..<result.rowCount { numbers[result[row, 1].text] = result[row, 0].integer }
        return EntityNumbers(
            numbers: ContiguousArray(layout.entities.map { numbers[$0.name] ?? 0 }))
    }

    /// Checks that the store has the tables and columns that the model needs.
    private func checkColumns(
        _ layout: ModelLayout, _ connection: Connection
    ) throws(CoreDataError) {
        let columns = try failing { () throws(ServerError) in
            try StoreColumns(schema, connection)
        }
        let entities = request.entities.map { Set($0.map(\.layout.index)) }
        guard let missing = columns.missing(layout, entities) else { return }
        throw CoreDataError(
            .storeIncompatibleSchema,
            "The store \(options.address) has no column \(missing.column) in the table"
                + " \(missing.table) for '\(missing.entity.name).\(missing.slot.name)'. Open the"
                + " store with the model that created it.")
    }
}

// MARK: History

extension StoreOpening {
    /// Determines whether a history is continued or emptied, or whether the store becomes
    /// read-only.
    private func openHistory(
        _ connection: Connection
    ) throws(CoreDataError) -> (tracks: Bool, isLocked: Bool) {
        try failing { () throws(ServerError) in
            let texts = HistoryTexts(schema)
            let exists = try texts.exist(connection)
            if options.isReadOnly { return (options.tracksHistory == true && exists, false) }
            switch options.tracksHistory {
            case true?:
                if !exists { try run(texts.creation, connection) }
                return (true, false)
            case false?:
                if exists { try run(texts.emptying, connection) }
                return (false, false)
            case nil:
                let isHeld = exists ? try texts.holdTransactions(connection) : false
                return (false, isHeld)
            }
        }
    }

    private func run(_ statements: [String], _ connection: Connection) throws(ServerError) {
        try connection.transaction { () throws(ServerError) in
            try Self.lock(schema, connection)
            try connection.runScript(statements.joined(separator: ";\n"))
        }
    }
}

// MARK: New stores

extension StoreOpening {
    /// Creates the store in one transaction, unless another connection has created it.
    private func create(_ connection: Connection) throws(CoreDataError) -> Found {
        if options.isReadOnly {
            throw CoreDataError(
                .readOnlyFileMissing,
                "The schema '\(schema)' of \(options.address) contains no store; open it without"
                    + " the read-only option to create one.")
        }
        let layout = request.model.layout
        let numbers = EntityNumbers(inOrderOf: layout)
        let texts = SchemaTexts(
            layout, numbers: numbers, schema: schema,
            entityIndexes: request.entities.map { Set($0.map(\.layout.index)) })
        let metadata = newMetadata()
        let record = try StoreRecord.text(of: metadata.values)
        let isMade = try failing { () throws(ServerError) in
            try connection.transaction { () throws(ServerError) in
                try Self.lock(schema, connection)
                guard try StoreRecord(schema, connection) == nil else { return false }
                try makeTables(texts.statements(), connection)
                try write(metadata, record, texts, connection)
                return true
            }
        }
        if !isMade, let found = try existing(connection) { return found }
        return (texts.renamed, numbers, metadata)
    }

    /// Waits until no other connection creates, changes or removes the store, until the end of the
    /// transaction.
    static func lock(_ schema: String, _ connection: Connection) throws(ServerError) {
        let parameters = Parameters()
        parameters.append(int4: 0x4641_554C)
        parameters.append(int4: Int32(bitPattern: Identifier.hash(schema)))
        try connection.execute("SELECT pg_advisory_xact_lock($1, $2)", parameters)
    }

    /// Waits until no other connection migrates the store, until the end of the transaction.
    static func lockMigration(_ schema: String, _ connection: Connection) throws(ServerError) {
        try lock("\(schema) migration", connection)
    }

    private func makeTables(
        _ statements: [String], _ connection: Connection
    ) throws(ServerError) {
        try Self.createSchema(schema, connection)
        let all = SchemaTexts.systemTables(schema) + statements
        try connection.runScript(all.joined(separator: ";\n"))
    }

    /// Creates a schema that does not exist. The server requires the right to create schemas even
    /// for an existing one.
    static func createSchema(_ schema: String, _ connection: Connection) throws(ServerError) {
        let parameters = Parameters()
        try parameters.append(text: schema)
        let found = try connection.execute(
            "SELECT FROM pg_namespace WHERE nspname = $1", parameters)
        guard found.rowCount == 0 else { return }
        try connection.execute("CREATE SCHEMA IF NOT EXISTS \(Identifier(schema).sql)")
    }

    private func newMetadata() -> MemoryMetadata {
        var values = request.describesModel ? request.modelMetadata : [:]
        values[StoreMetadata.makerKey] = StoreMetadata.maker
        return MemoryMetadata(
            identifier: request.identifier ?? UUID().uuidString,
            type: FaultlinePostgreSQLStoreType, values: values)
    }

    private func write(
        _ metadata: MemoryMetadata, _ record: String, _ texts: SchemaTexts,
        _ connection: Connection
    ) throws(ServerError) {
        let name = Identifier(schema).sql
        let row = Parameters()
        row.append(int4: Int32(StoreRecord.format))
        try row.append(text: metadata.identifier)
        try row.append(text: record)
        if request.describesModel {
            try row.append(request.model.model.cachedModelData())
        } else {
            row.append(null: .bytea)
        }
        try row.append(texts: texts.tableNames)
        _ = try connection.executePipeline([
            PipelinedStatement(
                "INSERT INTO \(name).\(SystemTables.store)(format, identifier, metadata, model,"
                    + " tables) VALUES($1, $2, $3, $4, $5)", row),
            try Self.entities(texts),
        ])
    }

    /// The statement that writes the numbers of the entities.
    static func entities(_ texts: SchemaTexts) throws(ServerError) -> PipelinedStatement {
        let entities = Parameters()
        let kept = texts.layout.entities.filter { texts.keeps($0.index) }
        entities.append(int8s: kept.map { texts.numbers.number(of: $0.index) })
        try entities.append(texts: kept.map(\.name))
        entities.append(
            int8s: kept.map { $0.superIndex.map { texts.numbers.number(of: $0) } ?? 0 })
        return PipelinedStatement(
            "INSERT INTO \(Identifier(texts.schema).sql).\(SystemTables.entities)"
                + "(number, name, super)"
                + " SELECT n, t, NULLIF(s, 0) FROM unnest($1, $2, $3) AS a(n, t, s)", entities)
    }
}
