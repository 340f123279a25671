import CoreDataModel
import CoreDataSQLite
import Foundation

/// Operations on a SQLite store that is not open: its metadata is read or changed, and its content
/// is removed or replaced.
///
/// All access uses SQLite, which respects the locks and journals of other processes.
struct SQLiteStoreFiles {
    package private(set) var path: String
    package var busyTimeoutMilliseconds = 5_000
    var isPrivate = false

    // MARK: Metadata

    /// The store's metadata, including its type and UUID; nothing is written.
    ///
    /// - Throws: 260 for a missing file, 259 if the file is not a database, 134080 if the database
    ///   is not a store.
    package func metadata() throws(CoreDataError) -> [String: any Sendable] {
        try StoreFile.check(path, isReadOnly: true)
        return try found(try connect(isReadOnly: true)).shown
    }

    /// Immediately replaces the custom values in the store's metadata.
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
        throw StoreFile.error(.storeOpen, path, "is a database, not a Core Data store")
    }

    // MARK: Emptying and replacing

    /// Empties the store; the file remains, without tables. A missing file is not an error.
    ///
    /// - Parameter force: whether the files are removed if another connection uses them, or if the
    ///   file is not a database.
    func destroy(force: Bool) throws(CoreDataError) {
        let hasValues = FileManager.default.fileExists(atPath: values.supportFolder)
        guard FileManager.default.fileExists(atPath: path) else { return try removeValues() }
        guard hasValues else { return try empty(force: force) }
        // This lock prevents other processes from installing a store at this path meanwhile.
        // Otherwise the large values of the new store would be removed.
        try StoreMove.hold(path, timeoutMilliseconds: busyTimeoutMilliseconds) {
            _ throws(CoreDataError) in
            try empty(force: force)
            try removeValues()
        }
    }

    private func empty(force: Bool) throws(CoreDataError) {
        do throws(CoreDataError) {
            try StoreFile.check(path, isReadOnly: false)
            let connection = try connect(isReadOnly: false)
            try bridging { () throws(SQLiteError) in
                // If another connection has the store open, this statement fails as busy. Without
                // it, a store in WAL mode could be emptied while it is in use. It also removes the
                // write-ahead log, so the database file itself is empty afterwards.
                _ = try connection.firstText("PRAGMA journal_mode=delete")
                try connection.eraseAll()
            }
        } catch {
            guard force else { throw error }
            try removeFiles()
        }
    }

    package func replace(by source: SQLiteStoreFiles) throws(CoreDataError) {
        try source.checkExists()
        try StoreFile.check(source.path, isReadOnly: true)
        let original = try source.connect(isReadOnly: true)
        _ = try source.found(original)
        try StoreFile.check(path, isReadOnly: false)
        try StoreMove.hold(path, timeoutMilliseconds: busyTimeoutMilliseconds) {
            move throws(CoreDataError) in
            try copyValues(of: source, original)
            if try RegularFile.status(path) != nil {
                try fill(with: original, createsFile: false)
            } else {
                var draft = self
                draft.path = move.draft
                try draft.fill(with: original, createsFile: true)
                draft.takePermissions(of: source)
                try move.publish()
            }
            sweepValues()
        }
    }

    private func fill(with original: Connection, createsFile: Bool) throws(CoreDataError) {
        let connection = try connect(isReadOnly: false, createsFile: createsFile)
        try bridging { () throws(SQLiteError) in try connection.replace(with: original) }
    }

    /// Copies the files to which rows of the source refer. The source's connection is left in a
    /// transaction that reads these rows.
    private func copyValues(
        of source: SQLiteStoreFiles, _ original: Connection
    ) throws(CoreDataError) {
        // Files that were missing once. Waiting for them is useless: a save has removed them, or
        // they are lost.
        var gone: Set<String> = []
        for _ in 0..<Self.attemptsMax {
            try source.bridging { () throws(SQLiteError) in
                try original.rollback()
                try original.begin(.deferred)
            }
            guard FileManager.default.fileExists(atPath: source.values.folder) else { return }
            let named = try source.bridging { () throws(SQLiteError) in
                try ExternalData.names(on: original)
            }
            var missed: Set<String> = []
            try fileWork { missed = try values.copy(named.subtracting(gone), from: source.values) }
            if missed.isEmpty { return }
            gone.formUnion(missed)
        }
        throw StoreFile.error(
            .storeTimeout, source.path,
            "is in use, and its large values are removed faster than they are copied; try again")
    }

    /// The maximum number of attempts to copy the values. An attempt fails if a save removes values
    /// meanwhile.
    private static let attemptsMax = 100

    /// Copies the permissions of the source's file, so that the copy of a private file is private.
    private func takePermissions(of source: SQLiteStoreFiles) {
        var status = stat()
        guard stat(source.path, &status) == 0 else { return }
        chmod(path, isPrivate ? 0o600 : status.st_mode & 0o777)
    }

    private func sweepValues() {
        guard FileManager.default.fileExists(atPath: values.supportFolder),
            let connection = try? connect(isReadOnly: false)
        else { return }
        StoreSweep(path: path).removeUnnamed(on: connection)
    }

    // MARK: Parts

    private var values: ExternalFiles { ExternalFiles(store: path, isPrivate: isPrivate) }

    private func removeValues() throws(CoreDataError) {
        let folder = values.supportFolder
        guard FileManager.default.fileExists(atPath: folder) else { return }
        try fileWork { try FileManager.default.removeItem(atPath: folder) }
    }

    private func removeFiles() throws(CoreDataError) {
        for file in [path, path + "-wal", path + "-shm", path + "-journal"]
        where FileManager.default.fileExists(atPath: file) {
            try fileWork { try FileManager.default.removeItem(atPath: file) }
        }
    }

    private func checkExists() throws(CoreDataError) {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        throw StoreFile.error(.readOnlyFileMissing, path, "does not exist; use the path of a store")
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
            // Operations on whole stores are rare, and must survive a power failure.
            if !isReadOnly { try connection.execute("PRAGMA synchronous=EXTRA") }
            return connection
        }
    }

    private func bridging<T>(_ body: () throws(SQLiteError) -> T) throws(CoreDataError) -> T {
        do { return try body() } catch { throw CoreDataError(error, path: path) }
    }

    private func fileWork(_ body: () throws -> Void) throws(CoreDataError) {
        do { try body() } catch {
            if let number = (error as? POSIXError)?.code.rawValue {
                throw CoreDataError(FileFailure(number, .writing), path, cannotBe: "replaced")
            }
            throw StoreFile.error(
                .fileWriteUnknown, path,
                "cannot be replaced (\(error)); check the folder and its permissions")
        }
    }
}
