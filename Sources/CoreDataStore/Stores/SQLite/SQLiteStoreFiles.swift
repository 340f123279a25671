import CoreDataModel
import CoreDataSQLite
import Foundation

/// What can be done to a SQLite store that is not open: reading and changing its metadata,
/// emptying it, and copying another one over it.
///
/// Called by the coordinator. Everything goes through SQLite, so that locks and journals of other
/// processes count.
struct SQLiteStoreFiles {
    package let path: String
    package var busyTimeoutMilliseconds = 5_000

    // MARK: Metadata

    /// The store's metadata, its type and UUID included; nothing is written.
    ///
    /// - Throws: 260 for a missing file, 259 where it is no database, 134080 where it is no store.
    package func metadata() throws(CoreDataError) -> [String: any Sendable] {
        try StoreFile.check(path, isReadOnly: true)
        return try found(try connect(isReadOnly: true)).shown
    }

    /// Replaces the program's own keys in the store's metadata, at once.
    package func setMetadata(_ metadata: [String: any Sendable]) throws(CoreDataError) {
        try checkExists()
        let connection = try connect(isReadOnly: false)
        var kept = try found(connection)
        try kept.replace(with: metadata)
        guard let plist = kept.pending else { return }
        try bridging { () throws(SQLiteError) in
            let statement = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
            plist.withUnsafeBytes { statement.bind(1, blob: $0) }
            try statement.run()
        }
    }

    private func found(_ connection: Connection) throws(CoreDataError) -> StoreMetadata {
        let tables = try bridging { () throws(SQLiteError) in
            try connection.firstText(
                "SELECT COUNT(*) FROM sqlite_master WHERE name = 'Z_METADATA'")
        }
        let metadata =
            tables == "0"
            ? nil : try bridging { () throws(SQLiteError) in try StoreMetadata.read(connection) }
        if let metadata { return metadata }
        throw StoreFile.error(.storeOpen, path, "is a database but no Core Data store")
    }

    // MARK: Emptying and replacing

    /// Empties the store; the file stays, without a table in it. A file that is not there is fine.
    ///
    /// - Parameter force: whether the files are removed where another connection is in the way,
    ///   and where the file is no database.
    func destroy(force: Bool) throws(CoreDataError) {
        guard FileManager.default.fileExists(atPath: path) else { return try removeExternalData() }
        do throws(CoreDataError) {
            try StoreFile.check(path, isReadOnly: false)
            let connection = try connect(isReadOnly: false)
            try bridging { () throws(SQLiteError) in
                // Fails as busy while anybody else has the store open: in WAL mode, emptying it
                // would go ahead. And without a log the file itself says that nothing is left.
                _ = try connection.firstText("PRAGMA journal_mode=delete")
                try connection.eraseAll()
            }
        } catch {
            guard force else { throw error }
            try removeFiles()
        }
        try removeExternalData()
    }

    /// Replaces the store by another one, whose UUID it then has.
    package func replace(by source: SQLiteStoreFiles) throws(CoreDataError) {
        try source.checkExists()
        try StoreFile.check(source.path, isReadOnly: true)
        let original = try source.connect(isReadOnly: true)
        _ = try source.found(original)
        let isThere = FileManager.default.fileExists(atPath: path)
        if isThere { try StoreFile.check(path, isReadOnly: false) }
        let connection = try connect(isReadOnly: false, createsFile: !isThere)
        try bridging { () throws(SQLiteError) in try connection.replace(with: original) }
        try removeExternalData()
        let data = source.externalData
        guard FileManager.default.fileExists(atPath: data.path) else { return }
        try fileWork { try FileManager.default.copyItem(at: data, to: externalData) }
    }

    // MARK: Parts

    /// Where big values are kept beside the file.
    private var externalData: URL {
        URL(fileURLWithPath: ExternalFiles.supportFolder(ofStore: path))
    }

    private func removeExternalData() throws(CoreDataError) {
        guard FileManager.default.fileExists(atPath: externalData.path) else { return }
        try fileWork { try FileManager.default.removeItem(at: externalData) }
    }

    private func removeFiles() throws(CoreDataError) {
        for file in [path, path + "-wal", path + "-shm", path + "-journal"]
        where FileManager.default.fileExists(atPath: file) {
            try fileWork { try FileManager.default.removeItem(atPath: file) }
        }
    }

    private func checkExists() throws(CoreDataError) {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        throw StoreFile.error(.readOnlyFileMissing, path, "does not exist; name a store")
    }

    private func connect(
        isReadOnly: Bool, createsFile: Bool = false
    ) throws(CoreDataError) -> Connection {
        var options = Connection.Options()
        options.isReadOnly = isReadOnly
        options.createsFile = createsFile
        options.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        return try bridging { () throws(SQLiteError) in
            let connection = try Connection(.file(path), options: options)
            if isReadOnly { connection.checkpointsOnClose = false }
            // What is done to whole stores is done once and seldom: no power cut takes it back.
            if !isReadOnly { try connection.execute("PRAGMA synchronous=EXTRA") }
            return connection
        }
    }

    private func bridging<T>(_ body: () throws(SQLiteError) -> T) throws(CoreDataError) -> T {
        do { return try body() } catch { throw CoreDataError(error, path: path) }
    }

    private func fileWork(_ body: () throws -> Void) throws(CoreDataError) {
        do { try body() } catch {
            throw StoreFile.error(
                .fileWriteNoPermission, path, "cannot be replaced (\(error)); check permissions")
        }
    }
}
