import Foundation

/// What can be said about a path before SQLite looks at it; asked when a store opens.
///
/// SQLite makes and repairs files as it opens them. What is plainly no store is refused here, so
/// that nobody's file is touched.
enum StoreFile {
    private static let signature = Array("SQLite format 3\0".utf8)

    /// Passes a database, and a file that does not exist and can be made.
    ///
    /// - Throws: ``CoreDataError`` with code 256, 259, 260 or 513 and the path in its info.
    static func check(_ path: String, isReadOnly: Bool) throws(CoreDataError) {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            return try checkMissing(path, isReadOnly: isReadOnly)
        }
        if isDirectory.boolValue {
            throw error(.fileReadUnknown, path, "is a folder; name a file")
        }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw error(.fileReadUnknown, path, "cannot be read; check its permissions")
        }
        defer { try? file.close() }
        let start = (try? file.read(upToCount: signature.count)) ?? Data()
        if start.isEmpty {
            throw error(
                .fileReadCorrupt, path, "is empty and so no store; remove it or name another file")
        }
        guard Array(start) == signature else {
            throw error(.fileReadCorrupt, path, "is not a SQLite database; name a store")
        }
        if !isReadOnly && !FileManager.default.isWritableFile(atPath: path) {
            throw error(
                .fileWriteNoPermission, path,
                "cannot be written; open it with NSReadOnlyPersistentStoreOption or copy it")
        }
    }

    /// Whether a write-ahead log with content lies beside the file.
    static func hasLog(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0 > 0
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

    static func error(
        _ code: CoreDataError.Code, _ path: String, _ text: String, reason: String? = nil
    ) -> CoreDataError {
        CoreDataError(
            code, "The file \(path) \(text)", info: ["NSFilePath": path, "reason": reason ?? text])
    }
}
