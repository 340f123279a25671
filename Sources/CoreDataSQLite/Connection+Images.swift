import CSQLite

extension Connection {
    package func makeImage() throws(SQLiteError) -> [UInt8] {
        finishAll()
        var size: Int64 = 0
        guard let bytes = sqlite3_serialize(handle, "main", &size, 0) else {
            guard size == 0 else {
                throw SQLiteError(
                    extendedCode: SQLITE_NOMEM,
                    message: "memory for the database image cannot be allocated")
            }
            return []
        }
        defer { sqlite3_free(bytes) }
        return [UInt8](UnsafeBufferPointer(start: bytes, count: Int(size)))
    }

    /// Replaces the database by a copy of an image, which is the bytes of a database file.
    /// Afterwards the connection uses a database in memory.
    ///
    /// Compiled statements stay valid if the image has the same schema. All statements are finished
    /// first: SQLite (3.40) accepts an image while a statement runs, but later reads freed memory.
    package func replace(with image: [UInt8]) throws(SQLiteError) {
        finishAll()
        guard !isInTransaction else {
            throw SQLiteError(
                extendedCode: SQLITE_MISUSE,
                message: "an image cannot replace a database during a transaction; end the"
                    + " transaction first")
        }
        try prepareForImage()
        // An image has at least one page, but an empty database has no bytes.
        let capacity = max(image.count, 512)
        guard let raw = sqlite3_malloc64(UInt64(capacity)) else {
            throw SQLiteError(
                extendedCode: SQLITE_NOMEM,
                message: "memory for the database image cannot be allocated")
        }
        image.withUnsafeBytes {
            if let base = $0.baseAddress { raw.copyMemory(from: base, byteCount: $0.count) }
        }
        Self.leaveWriteAheadLog(UnsafeMutableRawBufferPointer(start: raw, count: image.count))
        let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
        // On failure SQLite frees the memory too, because of `SQLITE_DESERIALIZE_FREEONCLOSE`.
        let code = sqlite3_deserialize(
            handle, "main", raw.assumingMemoryBound(to: UInt8.self), Int64(image.count),
            Int64(capacity), flags)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, database: handle) }
    }

    /// Sets the header's journal mode to "rollback journal", because a database in memory has no
    /// write-ahead log.
    private static func leaveWriteAheadLog(_ image: UnsafeMutableRawBufferPointer) {
        guard image.count >= 20 else { return }
        for offset in 18...19 where image[offset] == 2 { image[offset] = 1 }
    }
}
