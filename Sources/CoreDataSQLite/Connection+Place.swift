import CSQLite

extension Connection {
    /// The path of an open file, and the file's identity.
    ///
    /// If the file is removed or replaced, open connections can still use it. Its content is lost
    /// when the last of them closes.
    struct Place: Sendable {
        let path: String
        let identity: FileIdentity

        /// Records the file that a connection has opened.
        ///
        /// - Throws: an error if the path already names another file.
        init(_ path: String, of database: OpaquePointer) throws(SQLiteError) {
            var hasMoved: Int32 = 0
            guard let facts = try FileFacts.of(path),
                sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
                    == SQLITE_OK, hasMoved == 0
            else { throw Self.gone }
            self.path = path
            identity = facts.identity
        }

        static let gone = SQLiteError(
            extendedCode: SQLiteError.fileHasMoved,
            message: "the file was removed or replaced")
    }

    /// The identity of this connection's file; nil in memory.
    package var identity: FileIdentity? { place?.identity }

    /// Rejects writing if the connection's path no longer names the open file. The caller holds the
    /// write lock, so no process that respects the lock can replace the file afterwards.
    func checkPlace() throws(SQLiteError) {
        guard let place else { return }
        guard try FileFacts.of(place.path)?.identity == place.identity else { throw Place.gone }
    }
}
