import CoreDataSQLite
import Foundation

/// A file that says that each file of a value has its row, so that an opening need not read the
/// rows to find that out.
///
/// A sweep writes the mark inside its transaction. A transaction that writes or removes values
/// removes the mark first, as a migration does, so that the next opening sweeps if the process ends
/// in between. The mark has the identity and the time of the folder, the identity of the database
/// and the version of its schema: a copied folder, files of another program and another database
/// make it invalid.
struct SweepMark {
    let files: ExternalFiles

    private var path: String { files.supportFolder + "/.faultline-swept" }

    func isValid(on connection: Connection) -> Bool {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return false }
        return text == state(on: connection)
    }

    /// The caller holds the write lock and has removed each file without a row.
    func write(on connection: Connection) {
        guard let state = state(on: connection) else { return }
        _ = FileManager.default.createFile(
            atPath: path, contents: Data(state.utf8), attributes: [.posixPermissions: 0o600])
    }

    /// Removes the mark, also for a process that reads the disk after a power cut. Costs one call
    /// of the system if there is no mark.
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
