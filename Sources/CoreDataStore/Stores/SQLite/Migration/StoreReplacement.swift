import CoreDataModel
import CoreDataSQLite
import CoreDataTrace
import Foundation

/// Replaces a store's content by the content of a new file, in one transaction. Migrations with a
/// mapping model use it.
///
/// The store's write lock is held from before the new file is filled until the store has its
/// content. So no save is lost during the migration, and only one process migrates the store. If
/// the process ends, SQLite releases the lock, and the next migration removes the new file.
package struct StoreReplacement {
    package let path: String
    package let trace: Trace
    /// The time to wait for other processes that write the store, or migrate it.
    package var busyTimeoutMilliseconds = 5_000

    package init(path: String, trace: Trace) {
        self.path = path
        self.trace = trace
    }

    /// Fills a new file and copies its content into the store.
    ///
    /// - Parameters:
    ///   - hashes: the hashes that the store must still have once it is locked; if another process
    ///     has already migrated the store, nothing is done.
    ///   - fill: creates a store at an unused path. The store itself can be read while `fill` runs.
    /// - Returns: the result of `fill`; nil if another process has already migrated the store.
    /// - Throws: the errors of `fill` and SQLite's errors; the store is then unchanged.
    package func run<T>(
        ifHashesAre hashes: [String: Data], fill: (URL) throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T? {
        let connection = try sql { () throws(SQLiteError) in try connect() }
        try sql { () throws(SQLiteError) in try connection.begin(.immediate) }
        do throws(CoreDataError) {
            let metadata = try sql { () throws(SQLiteError) in try StoreMetadata.read(connection) }
            let stored = metadata?.plist[VersionDigest.hashesKey] as? [String: Data]
            let filled = stored == hashes ? try replace(connection, fill) : nil
            try sql { () throws(SQLiteError) in try connection.commit() }
            return filled
        } catch {
            // An error of this rollback is ignored, because SQLite also rolls back when the
            // connection is closed without a commit.
            try? connection.rollback()
            throw error
        }
    }

    private func connect() throws(SQLiteError) -> Connection {
        try .forMigrating(
            path, busyTimeoutMilliseconds: busyTimeoutMilliseconds, trace: trace)
    }

    private func replace<T>(
        _ connection: Connection, _ fill: (URL) throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T {
        let files = MigrationFiles(store: path)
        // Such files are only created under the lock that this process holds. So existing ones were
        // left by an ended process.
        files.removeAll()
        let made = files.new()
        defer { files.remove(made) }
        let filled = try fill(made)
        try sql { () throws(SQLiteError) in
            try connection.takeOver(contentOf: made.path)
        }
        return filled
    }

    private func sql<T>(_ body: () throws(SQLiteError) -> T) throws(CoreDataError) -> T {
        do throws(SQLiteError) { return try body() } catch {
            throw CoreDataError(error, path: path)
        }
    }
}

/// The names of the temporary files that migrations create next to a store.
private struct MigrationFiles {
    private let folder: URL
    private let prefix: String
    private static let suffix = ".new"
    private static let companions = ["", "-wal", "-shm", "-journal"]

    init(store path: String) {
        let url = URL(fileURLWithPath: path)
        folder = url.deletingLastPathComponent()
        prefix = ".\(url.lastPathComponent)."
    }

    func new() -> URL {
        folder.appendingPathComponent(prefix + UUID().uuidString + Self.suffix)
    }

    func remove(_ file: URL) {
        for suffix in Self.companions {
            try? FileManager.default.removeItem(atPath: file.path + suffix)
        }
    }

    func removeAll() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let rest = name.dropFirst(prefix.count)
            guard let end = rest.range(of: Self.suffix),
                UUID(uuidString: String(rest[..<end.lowerBound])) != nil,
                Self.companions.contains(String(rest[end.upperBound...]))
            else { continue }
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }
}
