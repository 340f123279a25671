import CoreDataModel
import Foundation

/// Operations on a store of a built-in type that is not open, in any format.
///
/// Called by the coordinator's methods that take a URL.
struct StoreFiles {
    private let url: URL
    /// The type that the caller expects; nil to determine it from the file.
    private let type: BuiltInStoreType?
    private let options: [AnyHashable: Any]

    package init(_ url: URL, type: BuiltInStoreType? = nil, options: [AnyHashable: Any]? = nil) {
        self.url = url
        self.type = type
        self.options = options ?? [:]
    }

    /// The metadata of the store, including type and UUID; nothing is written.
    ///
    /// - Throws: 134010 if the file has another type, 260, 259, 256.
    package func metadata() throws(CoreDataError) -> [String: any Sendable] {
        switch try found() {
        case .sqlite(let files): return try files.metadata()
        case .whole(let file): return try file.metadata(in: try file.bytes()).shown
        }
    }

    /// - Throws: 134010 if the file has another type, 260, 259, 256.
    func checkType() throws(CoreDataError) { _ = try found() }

    /// Replaces the program's values in the metadata, at once.
    package func setMetadata(_ values: [String: any Sendable]) throws(CoreDataError) {
        switch try found() {
        case .sqlite(let files): try files.setMetadata(values)
        case .whole(let file): try file.setMetadata(values)
        }
    }

    /// Empties a SQLite store and removes the file of any other.
    func destroy() throws(CoreDataError) {
        guard type != .inMemory else { return }
        if (type ?? .sqlite) == .sqlite {
            var force = false
            if let value = options[NSPersistentStoreForceDestroyOption] {
                force = try StoreOptionsReader([:]).bool(NSPersistentStoreForceDestroyOption, value)
            }
            return try sqlite().destroy(force: force)
        }
        let path = try path()
        guard let format = type?.format, try RegularFile.status(path) != nil else { return }
        // A file in an unknown format may be removed; one of another type may not.
        if try StoreFile.isDatabase(path) { try check(NSSQLiteStoreType, path) }
        if let claimed = try Self.wholeFile(path) { try check(claimed.format.type, path) }
        try WholeFile(
            path: path, format: format, timeoutMilliseconds: try timeoutMilliseconds() ?? 5_000
        ).remove()
    }

    /// Replaces this store by a copy of another.
    package func replace(by source: StoreFiles) throws(CoreDataError) {
        switch try source.found() {
        case .sqlite(let files): try sqlite().replace(by: files)
        case .whole(let file):
            try WholeFile(
                path: try path(), format: file.format,
                timeoutMilliseconds: try timeoutMilliseconds() ?? 5_000
            ).replace(by: file)
        }
    }

    // MARK: Parts

    private enum Found {
        case sqlite(SQLiteStoreFiles)
        case whole(WholeFile)
    }

    /// Determines the format from the beginning of the file.
    private func found() throws(CoreDataError) -> Found {
        let path = try path()
        if type == .inMemory {
            throw CoreDataError(
                .invalidArgument,
                "A store in memory has no file. Ask the coordinator that contains it.")
        }
        _ = try RegularFile.status(path)
        if var claimed = try Self.wholeFile(path) {
            try check(claimed.format.type, path)
            claimed.timeoutMilliseconds =
                try timeoutMilliseconds() ?? claimed.timeoutMilliseconds
            return .whole(claimed)
        }
        if let type, type != .sqlite { try refuse(type, path) }
        return .sqlite(try sqlite())
    }

    /// Reports a file that does not begin like any whole-file format.
    private func refuse(_ type: BuiltInStoreType, _ path: String) throws(CoreDataError) {
        // The message for a missing file is more precise than SQLite's.
        if try RegularFile.status(path) == nil { try StoreFile.check(path, isReadOnly: true) }
        guard try StoreFile.isDatabase(path) else {
            throw StoreFile.error(
                .fileReadCorrupt, path,
                "does not begin with the bytes of a store of the type \(type.rawValue); name a"
                    + " store, or restore it from a copy")
        }
        try check(NSSQLiteStoreType, path)
    }

    private func check(_ found: String, _ path: String) throws(CoreDataError) {
        guard let type, type.rawValue != found else { return }
        throw StoreFile.error(
            .storeTypeMismatch, path, "is a store of the type \(found), not \(type.rawValue)")
    }

    /// The file, if a whole-file format recognizes it.
    static func wholeFile(_ path: String) throws(CoreDataError) -> WholeFile? {
        guard try StoreFile.regularFile(path) != nil else { return nil }
        let start = Data(try StoreFile.start(of: path, count: 512))
        for type in BuiltInStoreType.allCases {
            if let format = type.format, format.claims(start) {
                return WholeFile(path: path, format: format)
            }
        }
        return nil
    }

    private func path() throws(CoreDataError) -> String {
        guard url.isFileURL else {
            throw CoreDataError(
                .invalidArgument,
                "The store's URL must be a file URL, not \(url.absoluteString).")
        }
        return url.path
    }

    private func sqlite() throws(CoreDataError) -> SQLiteStoreFiles {
        var files = SQLiteStoreFiles(path: try path())
        if let timeout = try timeoutMilliseconds() { files.busyTimeoutMilliseconds = timeout }
        files.isPrivate = try StoreOptionsReader(options).isPrivate()
        return files
    }

    private func timeoutMilliseconds() throws(CoreDataError) -> Int? {
        try StoreOptionsReader(options).timeoutMilliseconds()
    }
}

/// The types that exist without registration.
package enum BuiltInStoreType: String, CaseIterable {
    case sqlite = "SQLite"
    case binary = "Binary"
    case xml = "XML"
    case inMemory = "InMemory"

    /// The type of that name, without regard to case.
    package init?(name: String) {
        let found = Self.allCases.first {
            $0.rawValue.caseInsensitiveCompare(name) == .orderedSame
        }
        guard let found else { return nil }
        self = found
    }

    /// The type of that name; 134000 if it does not exist.
    package static func named(_ name: String) throws(CoreDataError) -> BuiltInStoreType {
        if let type = Self(name: name) { return type }
        throw CoreDataError(
            .storeInvalidType,
            "The store type '\(name)' is unknown. Use one of"
                + " \(allCases.map(\.rawValue).joined(separator: ", ")).")
    }

    /// The format of the type's file, if it is written as a whole.
    var format: (any WholeFileFormat)? {
        switch self {
        case .sqlite, .inMemory: nil
        case .binary: BinaryStoreFormat()
        case .xml: XMLStoreFormat()
        }
    }
}
