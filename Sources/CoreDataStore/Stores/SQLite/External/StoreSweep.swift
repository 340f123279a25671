import CoreDataSQLite

/// Removes files that ended processes have left next to a SQLite store.
///
/// Runs when a store is opened for writing, and after a store was replaced. If files of values may
/// have changed since the last sweep (``SweepMark``), it reads the beginning of all binary values.
/// Files that cannot be removed are tried again at the next opening.
struct StoreSweep {
    let path: String

    private var files: ExternalFiles { ExternalFiles(store: path) }

    func run(on connection: Connection) {
        PendingFile.clear(path)
        if files.mark.isValid(on: connection) { return }
        let found = files.list()
        if found.values.isEmpty && found.unfinished.isEmpty { return }
        try? PendingFile.hold(path, timeoutMilliseconds: 0) { _ in
            removeUnnamed(on: connection)
        }
    }

    /// Removes files to which no row refers. The caller holds the lock for replacing the store.
    func removeUnnamed(on connection: Connection) {
        // While the write lock is held, no other connection writes rows or their files.
        try? connection.transaction(.immediate) { () throws(SQLiteError) in
            let named = try ExternalData.names(on: connection)
            let found = files.list()
            let unnamed = found.values.filter { !named.contains($0) }
            // The write-ahead log must be durable before files are removed. Otherwise a power
            // failure could revert a commit, and a restored row would lack its file.
            guard unnamed.isEmpty || files.syncStore() else { return }
            files.remove(unnamed + found.unfinished)
            if named.isEmpty { files.removeFolders() } else { files.mark.write(on: connection) }
        }
    }
}
