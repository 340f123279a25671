import CoreDataSQLite
import Foundation
import LabFiles

/// Creates a consistent copy of a store, even while other processes write to it.
///
/// If another process may have the store open, SQLite copies it in one read transaction. For a
/// closed store in WAL mode, SQLite would create a `-wal` and a `-shm` file next to the store. So
/// such a store is copied file by file.
package struct StoreSnapshot {
    /// The user's name for the store.
    private let store: String
    private let copy: String
    /// The maximum time to wait for a writer in rollback mode.
    package var busyTimeoutMilliseconds = 5_000

    /// - Parameters:
    ///   - store: the file of the store, which is not changed.
    ///   - copy: the file to create, in an existing folder.
    package init(of store: String, at copy: String) {
        self.store = store
        self.copy = copy
    }

    /// Creates the copy.
    ///
    /// - Throws: an error about the store if it cannot be copied.
    package func make() throws(InputErrors) {
        try checkExists()
        for _ in 0..<3 {
            if mayBeOpen { return try copyDatabase() }
            if try copyFiles() { return }
        }
        throw problem(
            "the store changed during each attempt to copy it", "wait until the app is idle")
    }

    private func checkExists() throws(InputErrors) {
        var isFolder: ObjCBool = false
        let isThere = FileManager.default.fileExists(atPath: store, isDirectory: &isFolder)
        guard !isThere || isFolder.boolValue else { return }
        throw problem(
            isThere ? "this is a folder" : "this file does not exist",
            "name the store's .sqlite file")
    }

    private func problem(_ problem: String, _ remedy: String) -> InputErrors {
        InputErrors([InputError(file: store, problem: problem, remedy: remedy)])
    }

    // MARK: Open stores

    /// Whether another process may have opened the store. For a file that is not a database,
    /// opening the copy reports the error.
    private var mayBeOpen: Bool {
        // In WAL mode the `-shm` file exists while a process has the store open.
        if FileManager.default.fileExists(atPath: store + "-shm") { return true }
        guard let file = FileHandle(forReadingAtPath: store) else { return true }
        let header = [UInt8]((try? file.read(upToCount: 20)) ?? Data())
        guard header.count == 20, header.starts(with: "SQLite format 3\0".utf8) else {
            return false
        }
        let isWAL = header[18] == 2
        return !isWAL
    }

    private func copyDatabase() throws(InputErrors) {
        do throws(SQLiteError) {
            var options = Connection.Options()
            options.isReadOnly = true
            options.keepsIndex = true
            options.busyTimeoutMilliseconds = busyTimeoutMilliseconds
            let source = try Connection(.file(store), options: options)
            source.checkpointsOnClose = false
            try Connection(.file(copy)).replace(with: source)
        } catch {
            if error.isBusy {
                throw problem("the store is being written", "try again when the app is idle")
            }
            if error.isReadOnly {
                throw problem(
                    "the store was left in the middle of a write",
                    "open the store once with the app")
            }
            throw cannotCopy(error)
        }
    }

    private func cannotCopy(_ error: any Error) -> InputErrors {
        problem(
            "the store cannot be copied (\(error))",
            "make it readable, and free space for a copy in TMPDIR")
    }

    // MARK: Closed stores

    /// - Returns: whether the store remained closed and unchanged while it was copied.
    private func copyFiles() throws(InputErrors) -> Bool {
        let files = FileManager.default
        do {
            let before = stamps
            for suffix in ["", "-wal"] {
                if files.fileExists(atPath: copy + suffix) {
                    try files.removeItem(atPath: copy + suffix)
                }
                guard files.fileExists(atPath: store + suffix) else { continue }
                try files.copyItem(atPath: store + suffix, toPath: copy + suffix)
                try files.setAttributes(
                    [.posixPermissions: NSNumber(value: 0o600)], ofItemAtPath: copy + suffix)
            }
            return stamps == before
        } catch { throw cannotCopy(error) }
    }

    private struct Stamp: Equatable {
        let size: UInt64?
        let date: Date?
        let file: UInt64?
    }

    /// Facts about each file that differ if it was replaced or changed; nil for a missing file.
    private var stamps: [Stamp?] {
        ["", "-wal", "-shm"].map { suffix in
            let found = try? FileManager.default.attributesOfItem(atPath: store + suffix)
            return found.map {
                Stamp(
                    size: ($0[.size] as? NSNumber)?.uint64Value,
                    date: $0[.modificationDate] as? Date,
                    file: ($0[.systemFileNumber] as? NSNumber)?.uint64Value)
            }
        }
    }
}
