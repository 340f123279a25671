import CoreDataModel
import CoreDataSQLite
import CoreDataTrace
import Foundation

/// Puts the content of a new file in the place of a store's content, in one transaction.
///
/// Called by migration with a mapping model. The store's write lock is held from before the new
/// file is filled until the store has taken it over, so that nothing is saved meanwhile that the
/// new file lacks, and of several processes one does the work. The lock is SQLite's: a process
/// that ends leaves none behind, and its file beside the store is removed by the next one.
package struct StoreReplacement {
    package let path: String
    package let trace: Trace
    /// How long to wait for others that write into the store, or migrate it.
    package var busyTimeoutMilliseconds = 5_000

    package init(path: String, trace: Trace) {
        self.path = path
        self.trace = trace
    }

    /// Fills a new file and takes over what it holds.
    ///
    /// - Parameters:
    ///   - hashes: those that the store must still have once it is locked; where another process
    ///     has migrated it meanwhile, nothing is done.
    ///   - fill: makes a store at a path that nobody else uses. The store itself can be read
    ///     meanwhile.
    /// - Returns: what filling gave; nil where another process was faster.
    /// - Throws: what filling throws and what SQLite reports; the store is then as it was.
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
            // The first error explains; without a commit SQLite undoes everything on closing too.
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
        // Whoever made one held the lock that is held here now.
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

/// The files that migrations make beside a store.
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

    /// A path that nobody has used.
    func new() -> URL {
        folder.appendingPathComponent(prefix + UUID().uuidString + Self.suffix)
    }

    func remove(_ file: URL) {
        for suffix in Self.companions {
            try? FileManager.default.removeItem(atPath: file.path + suffix)
        }
    }

    /// Removes what migrations that were interrupted have left.
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
