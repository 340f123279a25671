import CoreDataSQLite
import CoreDataTrace
import Foundation

/// Puts one store's file in the place of another, whole or not at all.
///
/// Called by migration when a new file is complete. Both files first take in what their logs
/// hold; then one rename does it, which a file system does at once.
package struct StoreReplacement {
    package let path: String
    package let trace: Trace

    package init(path: String, trace: Trace) {
        self.path = path
        self.trace = trace
    }

    /// Replaces the file.
    ///
    /// - Throws: what SQLite or the file system reports; the old file is then in its place.
    package func replace(with made: String) throws(CoreDataError) {
        for file in [made, path] { try settle(file) }
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: made + suffix)
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        guard rename(made, path) == 0 else {
            throw StoreFile.error(
                .fileWriteNoPermission, path,
                "cannot be replaced by the migrated store: "
                    + String(cString: strerror(errno)))
        }
    }

    /// Brings the log into the file and leaves the mode that has one.
    private func settle(_ file: String) throws(CoreDataError) {
        do throws(SQLiteError) {
            var settings = Connection.Options()
            settings.createsFile = false
            let connection = try Connection(.file(file), options: settings)
            StoreConnections.observe(connection, trace: trace)
            connection.isObserved = trace.isOn
            // Fails while another connection has the store open, and so keeps it from harm.
            let mode = try connection.firstText("PRAGMA journal_mode=delete")
            guard mode == "delete" else {
                throw SQLiteError(
                    extendedCode: 5, message: "the store is open elsewhere, in mode \(mode ?? "?")")
            }
        } catch {
            throw CoreDataError(error, path: file)
        }
    }
}
