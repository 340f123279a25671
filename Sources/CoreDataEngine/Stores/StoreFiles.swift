import CoreDataModel
import Foundation

/// What can be done to a store of a built-in type that is not open, whatever its format.
///
/// Called by the coordinator's methods that take a URL.
struct StoreFiles {
    private let url: URL
    /// The type that the caller says it has; nil to look into the file.
    private let type: BuiltInStoreType?
    private let options: [AnyHashable: Any]

    init(_ url: URL, type: BuiltInStoreType? = nil, options: [AnyHashable: Any]? = nil) {
        self.url = url
        self.type = type
        self.options = options ?? [:]
    }

    /// The metadata of the store, type and UUID included; nothing is written.
    ///
    /// - Throws: 134010 where the file is of another type, 260, 259, 256.
    func metadata() throws(CoreDataError) -> [String: any Sendable] {
        switch try found() {
        case .sqlite(let files): return try files.metadata()
        case .whole(let file):
            return try file.format.metadata(from: try file.bytes(), path: file.path).shown
        }
    }

    /// Replaces the program's own values in the metadata, at once.
    func setMetadata(_ values: [String: any Sendable]) throws(CoreDataError) {
        switch try found() {
        case .sqlite(let files): try files.setMetadata(values)
        case .whole(let file):
            let bytes = try file.bytes()
            var metadata = try file.format.metadata(from: bytes, path: file.path)
            metadata.replace(with: values)
            try Self.write(
                try file.format.replacing(metadata, in: bytes, path: file.path), file.path)
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
        guard try StoreFile.regularFile(path) != nil else { return }
        // A file that nobody can make out may go; one of another type is somebody else's.
        if try StoreFile.isDatabase(path) { try check(NSSQLiteStoreType, path) }
        if let claimed = try Self.wholeFile(path) { try check(claimed.format.type, path) }
        do { try FileManager.default.removeItem(atPath: path) } catch {
            throw StoreFile.error(.fileWriteNoPermission, path, "cannot be removed (\(error))")
        }
    }

    /// Puts a copy of another store in the place of this one.
    func replace(by source: StoreFiles) throws(CoreDataError) {
        switch try source.found() {
        case .sqlite(let files): try sqlite().replace(by: files)
        case .whole(let file):
            _ = try file.format.metadata(from: try file.bytes(), path: file.path)
            try Self.write(try file.bytes(), try path())
        }
    }

    // MARK: Parts

    private enum Found {
        case sqlite(SQLiteStoreFiles)
        case whole(WholeFile)
    }

    /// Looks at how the file begins.
    private func found() throws(CoreDataError) -> Found {
        let path = try path()
        if type == .inMemory {
            throw CoreDataError(
                .invalidArgument, "A store in memory has no file. Ask the coordinator that has it.")
        }
        if let claimed = try Self.wholeFile(path) {
            try check(claimed.format.type, path)
            return .whole(claimed)
        }
        if let type, type != .sqlite {
            try StoreFile.check(path, isReadOnly: true)
            try check(NSSQLiteStoreType, path)
        }
        return .sqlite(try sqlite())
    }

    private func check(_ found: String, _ path: String) throws(CoreDataError) {
        guard let type, type.rawValue != found else { return }
        throw StoreFile.error(
            .storeTypeMismatch, path, "is a store of the type \(found), not \(type.rawValue)")
    }

    /// The file, where one of the formats that are written as a whole claims it.
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
        if let timeout = options[NSPersistentStoreTimeoutOption] {
            var parsed = SQLiteStoreOptions(.image([]))
            try StoreOptionsReader([:])
                .read(NSPersistentStoreTimeoutOption, timeout, into: &parsed)
            files.busyTimeoutMilliseconds = parsed.busyTimeoutMilliseconds
        }
        return files
    }

    private static func write(_ data: Data, _ path: String) throws(CoreDataError) {
        do { try data.write(to: URL(fileURLWithPath: path), options: .atomic) } catch {
            throw StoreFile.error(.fileWriteNoPermission, path, "cannot be written (\(error))")
        }
    }
}

/// The types that are there without being registered.
enum BuiltInStoreType: String, CaseIterable {
    case sqlite = "SQLite"
    case binary = "Binary"
    case xml = "XML"
    case inMemory = "InMemory"

    /// The type of that name, without regard to case.
    init?(name: String) {
        let found = Self.allCases.first {
            $0.rawValue.caseInsensitiveCompare(name) == .orderedSame
        }
        guard let found else { return nil }
        self = found
    }

    /// The type of that name; 134000 where there is none.
    static func named(_ name: String) throws(CoreDataError) -> BuiltInStoreType {
        if let type = Self(name: name) { return type }
        throw CoreDataError(
            .storeInvalidType,
            "There is no store type '\(name)'. Use one of"
                + " \(allCases.map(\.rawValue).joined(separator: ", ")).")
    }

    /// How the type's file is written, where it is written as a whole.
    var format: (any WholeFileFormat)? {
        switch self {
        case .sqlite, .inMemory: nil
        case .binary: BinaryStoreFormat()
        case .xml: XMLStoreFormat()
        }
    }
}
