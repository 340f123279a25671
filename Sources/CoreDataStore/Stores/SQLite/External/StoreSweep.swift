import CoreDataSQLite

/// Removes what processes that have ended left beside a SQLite store.
///
/// Runs when a store is opened to be written, and after a store was put in the place of another.
/// Statements run only if there are files of values: the heads of all columns of bytes are read
/// then. What cannot be removed now goes with the next opening.
struct StoreSweep {
    let path: String

    private var files: ExternalFiles { ExternalFiles(store: path) }

    /// Removes the leftovers, unless somebody puts a store in this place at the moment.
    func run(on connection: Connection) {
        PendingFile.clear(path)
        if files.names().isEmpty && files.unfinished().isEmpty { return }
        try? PendingFile.hold(path, timeoutMilliseconds: 0) { _ in
            removeUnnamed(on: connection)
        }
    }

    /// Removes files that no row names. The caller has the right to change the store as a whole.
    func removeUnnamed(on connection: Connection) {
        // Nobody else writes rows, or files for them, until it is done.
        try? connection.transaction(.immediate) { () throws(SQLiteError) in
            let named = try ExternalData.names(on: connection)
            let unnamed = files.names().filter { !named.contains($0) }
            // Else a power cut could take a commit back, and its row would be without its file.
            guard unnamed.isEmpty || files.syncStore() else { return }
            files.remove(unnamed + files.unfinished())
            if named.isEmpty { files.removeFolders() }
        }
    }
}
