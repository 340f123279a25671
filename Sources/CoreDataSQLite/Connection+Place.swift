import CSQLite

extension Connection {
    /// Where an open file was found.
    ///
    /// A file that is removed or replaced stays usable for those who have it open, and what they
    /// write into it is lost with the last of them.
    struct Place: Sendable {
        let path: String
        let identity: FileIdentity

        /// Notes which file a connection has open.
        ///
        /// - Throws: where the path names another file already.
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
            message: "the file was removed, or another one is in its place")
    }

    /// The file that this connection has open; nil in memory.
    package var identity: FileIdentity? { place?.identity }

    /// Refuses to write into a file that its path does not name any more. Asked while the write
    /// lock is held, so that nobody who respects the lock can replace the file afterwards.
    func checkPlace() throws(SQLiteError) {
        guard let place else { return }
        guard try FileFacts.of(place.path)?.identity == place.identity else { throw Place.gone }
    }
}
