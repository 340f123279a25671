import CoreDataSQLite

/// Removes the files that processes which have ended left next to a SQLite store.
///
/// Runs when a store is opened to be written, and after a store was put in the place of another.
/// Statements run only if there are files of values that may have changed since the last sweep
/// (``SweepMark``): the heads of all columns of bytes are read then. The next opening removes the
/// files that cannot be removed now.
struct StoreSweep {
    let path: String

    private var files: ExternalFiles { ExternalFiles(store: path) }

    /// Removes the leftovers, unless another process puts a store in this place at the moment.
    func run(on connection: Connection) {
        PendingFile.clear(path)
        if files.mark.isValid(on: connection) { return }
        let found = files.list()
        if found.values.isEmpty && found.unfinished.isEmpty { return }
        try? PendingFile.hold(path, timeoutMilliseconds: 0) { _ in
            removeUnnamed(on: connection)
        }
    }

    /// Removes files that no row names. The caller has the right to change the store as a whole.
    func removeUnnamed(on connection: Connection) {
        // Nobody else writes rows, or files for them, until it is done.
        try? connection.transaction(.immediate) { () throws(SQLiteError) in
            let named = try ExternalData.names(on: connection)
            let found = files.list()
            let unnamed = found.values.filter { !named.contains($0) }
            // Else a power cut could take a commit back, and its row would be without its file.
            guard unnamed.isEmpty || files.syncStore() else { return }
            files.remove(unnamed + found.unfinished)
            if named.isEmpty { files.removeFolders() } else { files.mark.write(on: connection) }
        }
    }
}
