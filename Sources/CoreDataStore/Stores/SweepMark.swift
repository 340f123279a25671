import CoreDataSQLite
import Foundation

/// A file which records that every large value's file belongs to a row. While it is valid, opening
/// the store need not search the rows for unused files.
///
/// `StoreSweep` writes the mark inside its transaction. A migration, or a transaction that writes
/// or removes large values, removes the mark first. If the process then ends, the next opening of
/// the store removes unused files.
///
/// The mark contains the identity and time of the folder, the identity of the database, and its
/// schema version. So copying the folder, adding files to it, or replacing the database makes it
/// invalid.
struct SweepMark {
    let files: ExternalFiles

    private var path: String { files.supportFolder + "/.faultline-swept" }

    func isValid(on connection: Connection) -> Bool {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return false }
        return text == state(on: connection)
    }

    /// Writes the mark. The caller holds the write lock and has removed every unused file.
    func write(on connection: Connection) {
        guard let state = state(on: connection) else { return }
        _ = FileManager.default.createFile(
            atPath: path, contents: Data(state.utf8), attributes: [.posixPermissions: 0o600])
    }

    /// Removes the mark durably, so that it does not reappear after a power failure. Without a
    /// mark, this costs one system call.
    func remove() {
        if unlink(path) == 0 { _ = ExternalFiles.makeDurable(files.supportFolder) }
    }

    private func state(on connection: Connection) -> String? {
        var folder = stat()
        var database = stat()
        guard stat(files.folder, &folder) == 0, stat(files.store, &database) == 0,
            let schema = try? connection.firstText("PRAGMA schema_version")
        else { return nil }
        let time = folder.st_mtim
        return "\(folder.st_ino) \(time.tv_sec) \(time.tv_nsec) \(database.st_ino) \(schema)"
    }
}
