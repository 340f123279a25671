import CoreDataSQLite

/// A store in memory returns to an earlier state by loading an image: the bytes of a database file.
extension SQLiteStore: RewindableStore {
    package func mark() throws(CoreDataError) -> StoreMark { StoreMark(try makeImage()) }

    package func makeImage() throws(CoreDataError) -> [UInt8] {
        do throws(SQLiteError) {
            return try connections.write { connection throws(SQLiteError) in
                try connection.makeImage()
            }
        } catch {
            throw failure(error)
        }
    }

    /// Loads the image without running an SQL statement.
    package func rewind(to mark: StoreMark) throws(CoreDataError) {
        guard let image = mark.image else {
            throw CoreDataError(
                .invalidArgument, "a SQLite store cannot be reset to the mark of another kind")
        }
        guard path == nil else {
            throw CoreDataError(
                .unsupported, "only a store in memory can be reset to an image; open a copy instead"
            )
        }
        do throws(SQLiteError) {
            try connections.write { connection throws(SQLiteError) in
                try connection.replace(with: image)
            }
        } catch {
            throw failure(error)
        }
        notePendingMetadataWritten()
    }
}
