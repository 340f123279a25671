import CoreDataModel
import CoreDataSQL
import CoreDataSQLite
import CoreDataTrace
import Foundation

/// Opens or creates a store.
///
/// An existing file is changed only after the model was found to fit it.
struct StoreOpening {
    package let options: SQLiteStoreOptions
    package let layout: ModelLayout
    package let trace: Trace
    let external: ExternalData?
    let derived: DerivedChanges?

    init(options: SQLiteStoreOptions, layout: ModelLayout, trace: Trace) {
        self.options = options
        self.layout = layout
        self.trace = trace
        external =
            layout.hasExternalValues
            ? ExternalData(
                path: options.location.path, valuesOf: options.valuesOwner,
                isPrivate: options.isPrivate) : nil
        derived = layout.hasDerivedValues ? DerivedChanges() : nil
    }

    struct Opened {
        let connections: StoreConnections
        let layout: ModelLayout
        package let numbers: EntityNumbers
        package let metadata: StoreMetadata
        package var tracksHistory = false
        /// Whether the file contains a history that this store would not continue.
        var isLockedByHistory = false
    }

    package func open() throws(CoreDataError) -> Opened {
        try SchemaNames.check(layout)
        try checkFile()
        let opened: Result<Opened, CoreDataError>
        do throws(SQLiteError) {
            let connection = try connect()
            try load(connection)
            opened = try prepare(connection)
        } catch {
            throw CoreDataError(error, path: path)
        }
        return try opened.get()
    }

    package var path: String? { options.location.path }

    private func checkFile() throws(CoreDataError) {
        guard case .file(let path) = options.location else { return }
        try StoreFile.check(path, isReadOnly: options.isReadOnly)
    }
}

// MARK: Connecting

extension StoreOpening {
    private func connect() throws(SQLiteError) -> Connection {
        let connection = try Connection(
            options.location.database, options: Self.settings(options, createsFile: true))
        StoreConnections.observe(connection, trace: trace)
        connection.isObserved = trace.isOn
        connection.recordsBindings = trace.isOn && trace.wantsBindings
        // The log may contain changes of other connections. Closing the connection must not write
        // them into the file before the model is known to fit.
        if let path, StoreFile.hasLog(path) { connection.checkpointsOnClose = false }
        try StoreFunctions.install(on: connection)
        try external?.install(on: connection)
        try derived?.install(on: connection)
        return connection
    }

    private static func settings(
        _ options: SQLiteStoreOptions, createsFile: Bool
    ) -> Connection.Options {
        var settings = Connection.Options()
        settings.isReadOnly = options.isReadOnly
        settings.createsFile = createsFile
        settings.busyTimeoutMilliseconds = options.busyTimeoutMilliseconds
        return settings
    }

    private func load(_ connection: Connection) throws(SQLiteError) {
        guard case .image(let bytes) = options.location, !bytes.isEmpty else { return }
        try connection.replace(with: bytes)
    }

    /// Settings of one connection that are not stored in the file.
    package static func settle(
        _ connection: Connection, _ options: SQLiteStoreOptions
    ) throws(SQLiteError) {
        // The size that Core Data sets.
        try connection.execute("PRAGMA cache_size=1000")
        if options.journalMode == .wal && options.location.isFile {
            // The default of Apple's systems. In WAL mode, a power failure may then revert a save,
            // but it does not damage the file.
            try connection.execute("PRAGMA synchronous=NORMAL")
        }
        for pragma in options.pragmas { try connection.execute(pragma.statement) }
    }

    private func makeConnections(
        _ connection: Connection, _ stored: ModelLayout
    ) -> StoreConnections {
        connection.checkpointsOnClose = true
        if options.isPrivate, let path {
            StoreFile.makePrivate(path)
            ExternalFiles(store: path).makePrivate()
        }
        guard let path, options.journalMode == .wal, !options.isAlone else {
            return StoreConnections(alone: connection, trace: trace)
        }
        let (options, identity, external, derived) = (
            options, connection.identity, external, derived
        )
        let makeConnection = { @Sendable () throws(SQLiteError) -> Connection in
            let made = try Connection(
                .file(path), options: Self.settings(options, createsFile: false))
            // If the store's file was replaced by another file, that file contains other rows.
            guard made.identity == identity else { throw SQLiteError.fileIsGoneError }
            try StoreFunctions.install(on: made)
            try external?.install(on: made)
            try StoreOpening.settle(made, options)
            return made
        }
        let factories = StoreConnections.Factories(
            reader: { () throws(SQLiteError) in
                let reader = try makeConnection()
                try reader.execute("PRAGMA query_only=1")
                return reader
            },
            writer: { () throws(SQLiteError) in
                let writer = try makeConnection()
                try derived?.install(on: writer)
                if !options.isReadOnly { try external?.watch(stored, on: writer) }
                return writer
            })
        return StoreConnections(
            first: connection, trace: trace, readersMax: options.readersMax, factories: factories)
    }
}

// MARK: Creating and matching

extension StoreOpening {
    private func prepare(
        _ connection: Connection
    ) throws(SQLiteError) -> Result<Opened, CoreDataError> {
        if let error = checkPragmas() { return .failure(error) }
        let content = try readContent(connection)
        // If a store was destroyed, or its creation was interrupted, a database without tables is
        // left.
        guard content.found.columns.isEmpty else { return try openStore(connection, content) }
        if options.isReadOnly {
            return .failure(noStore("contains no tables; open it without the read-only option"))
        }
        if let made = try makeStore(connection) { return made }
        return try openStore(connection, readContent(connection))
    }

    /// The content of a file, read before the file is opened as a store.
    private struct Content {
        let found: SchemaCheck.Found
        /// The store's metadata; nil if the file is not a store.
        let metadata: StoreMetadata?
    }

    /// Reads the tables and the metadata in one transaction, because other processes may write or
    /// migrate the store.
    private func readContent(_ connection: Connection) throws(SQLiteError) -> Content {
        try connection.transaction(.deferred) { () throws(SQLiteError) in
            let check = SchemaCheck(layout: layout, entityIndexes: options.entityIndexes)
            let found = try check.read(connection)
            guard found.hasMetadata, !found.numbers.isEmpty else {
                return Content(found: found, metadata: nil)
            }
            return Content(found: found, metadata: try StoreMetadata.read(connection))
        }
    }

    private func openStore(
        _ connection: Connection, _ content: Content
    ) throws(SQLiteError) -> Result<Opened, CoreDataError> {
        let found = content.found
        guard var metadata = content.metadata else {
            return .failure(
                noStore(
                    "is a database, not a Core Data store: Z_METADATA or Z_PRIMARYKEY is missing"))
        }
        if let error = try versionError(metadata, connection) { return .failure(error) }
        if let error = dueError(metadata) { return .failure(error) }
        let stored =
            StoredNames.layout(
                layout, in: found, entityIndexes: options.entityIndexes) ?? layout
        let numbers: EntityNumbers
        do {
            numbers = try SchemaCheck(layout: stored, entityIndexes: options.entityIndexes)
                .match(found)
            if options.ignoresVersionHashes { try metadata.adopt(options.newStoreMetadata) }
        } catch {
            return .failure(error)
        }
        try Self.settle(connection, options)
        if !options.isReadOnly && options.location.isFile { try setJournalMode(connection) }
        try maintain(connection)
        if !options.isReadOnly {
            try external?.watch(stored, on: connection)
            sweep(connection)
        }
        return try openHistory(connection).map { tracks, locked in
            Opened(
                connections: makeConnections(connection, stored), layout: stored, numbers: numbers,
                metadata: metadata, tracksHistory: tracks, isLockedByHistory: locked)
        }
    }

    /// A store under a preliminary name is not swept, because its values are in the folder of its
    /// final name.
    private func sweep(_ connection: Connection) {
        guard let path, options.valuesOwner == nil else { return }
        StoreSweep(path: path).run(on: connection)
    }

    /// Returns whether transactions are recorded, and whether the history in the file makes it
    /// read-only.
    private func openHistory(
        _ connection: Connection
    ) throws(SQLiteError) -> Result<(Bool, Bool), CoreDataError> {
        let tables = HistoryTables(layout: layout, connection: connection)
        if options.isReadOnly {
            let exists = try tables.exist()
            return .success((options.tracksHistory == true && exists, false))
        }
        switch options.tracksHistory {
        case true?: try tables.prepare()
        case false?: try tables.empty()
        case nil: return .success((false, try tables.holdTransactions()))
        }
        return .success((options.tracksHistory == true, false))
    }

    private func maintain(_ connection: Connection) throws(SQLiteError) {
        guard !options.isReadOnly else { return }
        if options.vacuums { try vacuum(connection) }
        if options.analyzes { try connection.execute("ANALYZE") }
    }

    /// SQLite truncates the file after the commit. Without a write-ahead log, the commit is the
    /// removal of the journal. If a power failure reverted the removal but not the truncation, the
    /// store would be lost.
    private func vacuum(_ connection: Connection) throws(SQLiteError) {
        let synchronous = try connection.firstText("PRAGMA synchronous") ?? "FULL"
        try connection.execute("PRAGMA synchronous=EXTRA")
        try connection.execute("VACUUM")
        try connection.execute("PRAGMA synchronous=\(synchronous)")
    }

    private func versionError(
        _ metadata: StoreMetadata, _ connection: Connection
    ) throws(SQLiteError) -> CoreDataError? {
        guard !options.ignoresVersionHashes else { return nil }
        let expected = options.newStoreMetadata[VersionDigest.hashesKey] as? [String: Data]
        return try StoreCompatibility.error(
            metadata, expected: expected, connection, path: path ?? "in memory")
    }

    /// Rejects a store if a handler of its migration has not run yet. If it is opened read-only,
    /// only logs this.
    private func dueError(_ metadata: StoreMetadata) -> CoreDataError? {
        guard !options.isAlone, let path,
            let error = StoreMetadata.dueError(metadata.plist, path: path)
        else { return nil }
        guard options.isReadOnly else { return error }
        EngineLog.errorOnce(error.message)
        return nil
    }

    /// Creates the store in one transaction.
    ///
    /// - Returns: nil if another connection has already created the store.
    private func makeStore(
        _ connection: Connection
    ) throws(SQLiteError) -> Result<Opened, CoreDataError>? {
        let metadata = StoreMetadata(
            identifier: options.newStoreIdentifier ?? UUID().uuidString,
            plist: StoreMetadata.forNewStore(options.newStoreMetadata))
        let plist: Data
        do {
            plist = try StoreMetadata.encode(metadata.plist)
        } catch {
            return .failure(error)
        }
        let schema = SchemaGenerator(layout: layout, entityIndexes: options.entityIndexes)
        // The pragmas must be set before the first table is created.
        try connection.execute("PRAGMA auto_vacuum=2")
        try Self.settle(connection, options)
        if options.location.isFile { try setJournalMode(connection) }
        let isMade = try connection.transaction(.immediate) { () throws(SQLiteError) in
            // Another process may have created the store before this process took the lock.
            if options.location.isFile, try !Self.isEmpty(connection) { return false }
            for sql in schema.statements() { try connection.execute(sql) }
            try fillSystemTables(connection, metadata.identifier, plist)
            return true
        }
        guard isMade else { return nil }
        try external?.watch(layout, on: connection)
        sweep(connection)
        let tracks = options.tracksHistory == true
        if tracks { try HistoryTables(layout: layout, connection: connection).prepare() }
        let numbers = EntityNumbers(inOrderOf: layout)
        return .success(
            Opened(
                connections: makeConnections(connection, layout), layout: layout, numbers: numbers,
                metadata: metadata, tracksHistory: tracks))
    }

    private func fillSystemTables(
        _ connection: Connection, _ identifier: String, _ plist: Data
    ) throws(SQLiteError) {
        for entity in layout.entities where options.entityIndexes?.contains(entity.index) ?? true {
            let row = try connection.statement(
                "INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES(?, ?, ?, 0)")
            row.bind(1, integer: Int64(entity.index + 1))
            row.bind(2, text: entity.name)
            row.bind(3, integer: Int64((entity.superIndex ?? -1) + 1))
            try row.run()
        }
        let row = try connection.statement(
            "INSERT INTO Z_METADATA(Z_VERSION, Z_UUID, Z_PLIST) VALUES(1, ?, ?)")
        row.bind(1, text: identifier)
        plist.withUnsafeBytes { row.bind(2, blob: $0) }
        try row.run()
        guard let cache = options.newStoreModelCache?() else { return }
        let content = try connection.statement("INSERT INTO Z_MODELCACHE(Z_CONTENT) VALUES(?)")
        cache.withUnsafeBytes { content.bind(1, blob: $0) }
        try content.run()
    }

    private static func isEmpty(_ connection: Connection) throws(SQLiteError) -> Bool {
        try connection.firstText("SELECT 1 FROM sqlite_master WHERE type = 'table' LIMIT 1") == nil
    }

    private func setJournalMode(_ connection: Connection) throws(SQLiteError) {
        try connection.setJournalMode(
            options.journalMode.rawValue, within: options.busyTimeoutMilliseconds)
    }

    private func noStore(_ text: String) -> CoreDataError {
        StoreFile.error(.storeOpen, path ?? "in memory", text)
    }

    private func checkPragmas() -> CoreDataError? {
        guard let odd = options.pragmas.first(where: { !$0.isWellFormed }) else { return nil }
        return StoreFile.error(
            .fileReadUnknown, path ?? "in memory",
            "was not opened: '\(odd.name)' = '\(odd.value)' is not a pragma; use names and values "
                + "of letters, digits, _ and -")
    }
}

extension SQLiteStoreOptions.Location {
    var isFile: Bool { path != nil }

    var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    fileprivate var database: Connection.Location {
        switch self {
        case .file(let path): .file(path)
        case .image: .memory
        case .shared(let name): .sharedMemory(name)
        }
    }
}

extension SQLiteStoreOptions.Pragma {
    fileprivate var isWellFormed: Bool {
        let isWord = { (text: String) in
            !text.isEmpty
                && text.utf8.allSatisfy { byte in
                    byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                }
        }
        return isWord(name) && isWord(value)
    }

    fileprivate var statement: String { "PRAGMA \(name)=\(value)" }
}
