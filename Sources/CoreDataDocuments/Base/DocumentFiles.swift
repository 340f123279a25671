import CRuntimeShims
import Foundation
import Glibc

/// Errors of a document's files.
enum DocumentError {
    static func notOverridden(_ method: String, _ url: URL) -> any Error {
        error(.featureUnsupported, url, "override \(method) in a subclass of UIDocument")
    }

    static func error(_ code: CocoaError.Code, _ url: URL, _ reason: String) -> any Error {
        CocoaError(
            code,
            userInfo: [
                NSFilePathErrorKey: url.path, NSURLErrorKey: url,
                NSLocalizedFailureReasonErrorKey: reason,
                NSLocalizedDescriptionKey: "The document \(url.path): \(reason).",
            ])
    }
}

/// Functions for the files and folders of documents.
enum DocumentFiles {
    static func modificationDate(of url: URL) -> Date? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        return attributes?[.modificationDate] as? Date
    }

    static func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    static func isFolder(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
            && isFolder.boolValue
    }

    static func write(_ contents: Any, to url: URL) throws {
        guard let data = contents as? Data else {
            throw DocumentError.error(
                .fileWriteUnknown, url,
                "contents(forType:) returned a \(type(of: contents)); return a Data, or override"
                    + " writeContents(_:to:for:originalContentsURL:)")
        }
        try data.write(to: url)
    }

    static func set(_ attributes: [AnyHashable: Any]?, of url: URL) throws {
        var named: [FileAttributeKey: Any] = [:]
        for (key, value) in attributes ?? [:] {
            if let key = key.base as? FileAttributeKey { named[key] = value }
            if let key = key.base as? String { named[FileAttributeKey(rawValue: key)] = value }
        }
        if !named.isEmpty { try FileManager.default.setAttributes(named, ofItemAtPath: url.path) }
    }

    /// Creates a file or folder next to the URL and moves it there in one step.
    ///
    /// - Parameter isNew: if true, an existing file at the URL is an error.
    static func replacing(_ url: URL, isNew: Bool, _ make: (URL) throws -> Void) throws {
        if isNew { try checkFree(url) }
        let draft = try DocumentDraft(beside: url)
        defer { draft.remove() }
        try make(draft.place)
        try put(draft.place, at: url, isNew: isNew)
    }

    static func checkFree(_ url: URL) throws {
        guard exists(url) else { return }
        throw DocumentError.error(
            .fileWriteFileExists, url,
            "exists already; save it with forOverwriting, or to another URL")
    }

    /// Moves a file or folder to the URL in one step. If the URL exists already, the two files or
    /// folders are exchanged.
    static func put(_ place: URL, at url: URL, isNew: Bool) throws {
        try sync(place)
        let code = faultline_rename(place.path, url.path, !isNew && exists(url))
        guard code == 0 else {
            if code == EEXIST { try checkFree(url) }
            throw DocumentError.error(
                code == EACCES || code == EROFS ? .fileWriteNoPermission : .fileWriteUnknown, url,
                "cannot be moved to its location (\(String(cString: strerror(code))))")
        }
        try sync(url.deletingLastPathComponent())
    }

    /// Writes a file, or a folder's entries, to the disk.
    private static func sync(_ url: URL) throws {
        let file = Glibc.open(url.path, O_RDONLY)
        guard file >= 0 else { return }
        defer { Glibc.close(file) }
        fsync(file)
    }
}
