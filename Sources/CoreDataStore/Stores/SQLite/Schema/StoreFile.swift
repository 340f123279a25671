import CoreDataSQLite
import Foundation

/// Checks a path before SQLite opens it.
///
/// SQLite creates and repairs files when it opens them. So files that are clearly not stores are
/// rejected first. This type opens files only through SQLite, because closing any other descriptor
/// of a file would release SQLite's locks.
package enum StoreFile {
    private static let signature = Array("SQLite format 3\0".utf8)

    /// Accepts a database, an empty file, and a missing file that can be created. An empty file
    /// becomes a database.
    ///
    /// - Throws: ``CoreDataError`` with code 256, 259, 260 or 513 and the path in its info.
    package static func check(_ path: String, isReadOnly: Bool) throws(CoreDataError) {
        guard let facts = try regularFile(path) else {
            return try checkMissing(path, isReadOnly: isReadOnly)
        }
        // An interrupted creation leaves an empty file, or one that SQLite's journal restores to an
        // empty file.
        if facts.size > 0, !hasContent(path + "-journal"), try !isDatabase(path) {
            throw error(.fileReadCorrupt, path, "is not a SQLite database; use the path of a store")
        }
        if !isReadOnly && !FileManager.default.isWritableFile(atPath: path) {
            throw error(
                .fileWriteNoPermission, path,
                "cannot be written; open it with NSReadOnlyPersistentStoreOption or copy it")
        }
    }

    /// Information about a file that can be opened without waiting; nil if the file does not exist.
    ///
    /// - Throws: 256 for a folder, a pipe or a device.
    static func regularFile(_ path: String) throws(CoreDataError) -> FileFacts? {
        guard let facts = try bridging(path, { () throws(SQLiteError) in try FileFacts.of(path) })
        else { return nil }
        switch facts.kind {
        case .regular: return facts
        case .folder: throw error(.fileReadUnknown, path, "is a folder; use the path of a file")
        case .other:
            throw error(
                .fileReadUnknown, path, "is a pipe, a socket or a device; use the path of a file")
        }
    }

    package static func isDatabase(_ path: String) throws(CoreDataError) -> Bool {
        try start(of: path, count: signature.count) == signature
    }

    package static func start(of path: String, count: Int) throws(CoreDataError) -> [UInt8] {
        try bridging(path) { () throws(SQLiteError) in
            try DatabaseFile.start(of: path, count: count)
        }
    }

    static func hasLog(_ path: String) -> Bool { hasContent(path + "-wal") }

    private static func hasContent(_ path: String) -> Bool {
        ((try? FileFacts.of(path))?.size ?? 0) > 0
    }

    private static func bridging<T>(
        _ path: String, _ body: () throws(SQLiteError) -> T
    ) throws(CoreDataError) -> T {
        do { return try body() } catch { throw CoreDataError(error, path: path) }
    }

    /// Also changes an existing log and its index. SQLite creates new ones with the permissions of
    /// the database.
    static func makePrivate(_ path: String) {
        for file in [path, path + "-wal", path + "-shm"]
        where FileManager.default.fileExists(atPath: file) {
            // The permissions of another owner's file cannot be changed, and stay as they are.
            try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        }
    }

    private static func checkMissing(_ path: String, isReadOnly: Bool) throws(CoreDataError) {
        if isReadOnly {
            throw error(
                .readOnlyFileMissing, path,
                "does not exist; open it without the read-only option to create it",
                reason: "Attempt to open missing file read only")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: folder, isDirectory: &isDirectory)
        guard exists && isDirectory.boolValue else {
            throw error(.fileReadUnknown, path, "cannot be created: no folder \(folder) exists")
        }
    }

    package static func error(
        _ code: CoreDataError.Code, _ path: String, _ text: String, reason: String? = nil
    ) -> CoreDataError {
        CoreDataError(
            code, "The file \(path) \(text)", info: ["NSFilePath": path, "reason": reason ?? text])
    }
}
