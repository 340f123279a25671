import CSQLite

/// Information about the file at a path. The file is not opened.
package struct FileFacts: Sendable, Equatable {
    package enum Kind: Sendable, Equatable { case regular, folder, other }

    package let kind: Kind
    package let size: Int64
    package let identity: FileIdentity

    /// - Returns: nil if the path does not exist. Symbolic links are followed.
    /// - Throws: ``SQLiteError`` with code 14 and the value of `errno` if a folder in the path
    ///   cannot be read.
    package static func of(_ path: String) throws(SQLiteError) -> FileFacts? {
        var found = csqlite_file_facts()
        let error = csqlite_look_at_file(path, &found)
        if error == SystemError.noSuchFile || error == SystemError.notAFolder { return nil }
        guard error == 0 else {
            throw SQLiteError(
                extendedCode: SQLITE_CANTOPEN, message: "the path cannot be read",
                systemError: error)
        }
        return FileFacts(found)
    }

    private init(_ found: csqlite_file_facts) {
        kind =
            switch Int(found.kind) {
            case CSQLITE_REGULAR_FILE: .regular
            case CSQLITE_FOLDER: .folder
            default: .other
            }
        size = found.size
        identity = FileIdentity(device: found.device, inode: found.inode)
    }
}

/// Identifies a file. Another file that replaces it at its path has another identity.
package struct FileIdentity: Sendable, Equatable, Hashable {
    package let device: UInt64
    package let inode: UInt64
}

/// Reads the beginning of a file that may be a database.
///
/// The system drops a process's locks on a file when the process closes any descriptor of it. So
/// only SQLite may open and close such a file.
package enum DatabaseFile {
    /// The first bytes of a file, at most the given number. Nothing is locked, created or repaired.
    ///
    /// - Throws: ``SQLiteError`` with code 14 if the file cannot be opened, or 10 if it cannot be
    ///   read.
    package static func start(of path: String, count: Int) throws(SQLiteError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var found: Int32 = 0
        var systemError: Int32 = 0
        let code = csqlite_read_start(path, &bytes, Int32(count), &found, &systemError)
        guard code == SQLITE_OK else {
            throw SQLiteError(
                extendedCode: code, message: String(cString: sqlite3_errstr(code)),
                systemError: systemError)
        }
        return Array(bytes.prefix(Int(found)))
    }
}
