import CoreDataSQLite
import Foundation
import LabResults

/// A copy of a store as it was at one moment, whoever wrote to it meanwhile.
///
/// `OpenedStore` calls it before it looks into any store of a user's.
///
/// What SQLite may lock is copied by SQLite in one read transaction. A closed store in WAL mode is
/// copied file by file, because SQLite would leave a log and an index beside it.
package struct StoreSnapshot {
    /// The store as the user named it.
    private let store: String
    private let copy: String
    /// How long a writer in rollback mode is waited for.
    package var busyTimeoutMilliseconds = 5_000

    /// - Parameters:
    ///   - store: the file of the store, which is not changed.
    ///   - copy: the file to make, in a folder that exists.
    package init(of store: String, at copy: String) {
        self.store = store
        self.copy = copy
    }

    /// Makes the copy.
    ///
    /// - Throws: an error about the store for what cannot be copied.
    package func make() throws(InputErrors) {
        try checkExists()
        for _ in 0..<3 {
            if mayBeOpen { return try copyDatabase() }
            if try copyFiles() { return }
        }
        throw problem("the store changes all the time", "wait until its app is at rest")
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

    /// Whether another process may have the store open. What is no database at all is told by
    /// those who look into the copy.
    private var mayBeOpen: Bool {
        // In WAL mode whoever has a store open has this index.
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
                throw problem("the store is being written", "try again when its app is at rest")
            }
            if error.isReadOnly {
                throw problem(
                    "the store was left in the middle of a write", "open it once with its app")
            }
            throw cannotCopy(error)
        }
    }

    private func cannotCopy(_ error: any Error) -> InputErrors {
        problem(
            "the store cannot be copied (\(error))",
            "make it readable, and leave room for a copy in TMPDIR")
    }

    // MARK: Closed stores

    /// - Returns: whether nobody opened or changed the store meanwhile.
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

    /// What tells that a file is another one or has other content; nil for one that is not there.
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
