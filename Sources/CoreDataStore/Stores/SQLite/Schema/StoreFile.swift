import CoreDataSQLite
import Foundation

/// What can be said about a path before SQLite looks at it; asked when a store opens.
///
/// SQLite makes and repairs files as it opens them. What is plainly no store is refused here, so
/// that nobody's file is touched. Nothing here opens a file but through SQLite, whose locks would
/// go with any other descriptor of it.
package enum StoreFile {
    private static let signature = Array("SQLite format 3\0".utf8)

    /// Passes a database, an empty file, which becomes one, and a file that does not exist and can
    /// be made.
    ///
    /// - Throws: ``CoreDataError`` with code 256, 259, 260 or 513 and the path in its info.
    package static func check(_ path: String, isReadOnly: Bool) throws(CoreDataError) {
        guard let facts = try regularFile(path) else {
            return try checkMissing(path, isReadOnly: isReadOnly)
        }
        // What is left of a creation that was interrupted is nothing, or what SQLite's journal
        // takes back to nothing.
        if facts.size > 0, !hasContent(path + "-journal"), try !isDatabase(path) {
            throw error(.fileReadCorrupt, path, "is not a SQLite database; name a store")
        }
        if !isReadOnly && !FileManager.default.isWritableFile(atPath: path) {
            throw error(
                .fileWriteNoPermission, path,
                "cannot be written; open it with NSReadOnlyPersistentStoreOption or copy it")
        }
    }

    /// The facts of a file that can be opened without waiting; nil where there is nothing.
    ///
    /// - Throws: 256 for a folder, a pipe or a device.
    static func regularFile(_ path: String) throws(CoreDataError) -> FileFacts? {
        guard let facts = try bridging(path, { () throws(SQLiteError) in try FileFacts.of(path) })
        else { return nil }
        switch facts.kind {
        case .regular: return facts
        case .folder: throw error(.fileReadUnknown, path, "is a folder; name a file")
        case .other:
            throw error(.fileReadUnknown, path, "is a pipe, a socket or a device; name a file")
        }
    }

    /// Whether an existing file begins as a SQLite database does.
    package static func isDatabase(_ path: String) throws(CoreDataError) -> Bool {
        try start(of: path, count: signature.count) == signature
    }

    /// How an existing file begins.
    package static func start(of path: String, count: Int) throws(CoreDataError) -> [UInt8] {
        try bridging(path) { () throws(SQLiteError) in
            try DatabaseFile.start(of: path, count: count)
        }
    }

    /// Whether a write-ahead log with content lies beside the file.
    static func hasLog(_ path: String) -> Bool { hasContent(path + "-wal") }

    private static func hasContent(_ path: String) -> Bool {
        ((try? FileFacts.of(path))?.size ?? 0) > 0
    }

    private static func bridging<T>(
        _ path: String, _ body: () throws(SQLiteError) -> T
    ) throws(CoreDataError) -> T {
        do { return try body() } catch { throw CoreDataError(error, path: path) }
    }

    /// SQLite gives the files beside the database the permissions that it has.
    static func makePrivate(_ path: String) {
        for file in [path, path + "-wal", path + "-shm"]
        where FileManager.default.fileExists(atPath: file) {
            // A file of somebody else keeps its permissions.
            try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        }
    }

    private static func checkMissing(_ path: String, isReadOnly: Bool) throws(CoreDataError) {
        if isReadOnly {
            throw error(
                .readOnlyFileMissing, path,
                "does not exist, and a store opened read-only is not made",
                reason: "Attempt to open missing file read only")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: folder, isDirectory: &isDirectory)
        guard exists && isDirectory.boolValue else {
            throw error(.fileReadUnknown, path, "cannot be made: there is no folder \(folder)")
        }
    }

    package static func error(
        _ code: CoreDataError.Code, _ path: String, _ text: String, reason: String? = nil
    ) -> CoreDataError {
        CoreDataError(
            code, "The file \(path) \(text)", info: ["NSFilePath": path, "reason": reason ?? text])
    }
}
