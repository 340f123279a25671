import CoreDataModel
import CoreDataSQLite
import Foundation

/// The row of `Z_METADATA`: the store's UUID and its metadata.
///
/// The property list is written again only after the application has changed its own keys. The keys
/// of Core Data keep their values in the file.
package struct StoreMetadata: Sendable {
    package let identifier: String
    package private(set) var plist: [String: any Sendable]
    /// The bytes that the next save writes; nil if nothing was changed.
    package private(set) var pending: Data?

    static let typeKey = "NSStoreType"
    static let identifierKey = "NSStoreUUID"
    /// A key that is present if this engine has computed the version hashes.
    package static let makerKey = "NSStoreModelVersionHashesMaker"
    package static let maker = "Faultline"

    /// The key for a migration stage whose `didMigrateHandler` has not run yet. The value is the
    /// checksum of the stage's final version. The key is absent if every handler has run.
    package static let dueKey = "NSStoreModelVersionHandlerDue"

    /// The error if a handler of the store's migration has not run yet; otherwise nil.
    package static func dueError(
        _ plist: [String: any Sendable], path: String
    ) -> CoreDataError? {
        guard let checksum = plist[dueKey] as? String else { return nil }
        return CoreDataError(
            .migration,
            "The migration of the store \(path) is not finished: the didMigrateHandler of the stage"
                + " to the version with the checksum \(checksum) has to run. Open the store with"
                + " NSPersistentStoreStagedMigrationManagerOptionKey and this stage.",
            info: [dueKey: checksum, "NSFilePath": path])
    }

    var hasOwnHashes: Bool { plist[Self.makerKey] as? String == Self.maker }

    package init(identifier: String, plist: [String: any Sendable]) {
        self.identifier = identifier
        self.plist = plist
    }

    /// The metadata as a coordinator returns it: the property list, the store's type and its UUID.
    package var shown: [String: any Sendable] {
        var result = plist
        result[Self.typeKey] = "SQLite"
        result[Self.identifierKey] = identifier
        return result
    }

    /// Replaces the application's keys.
    package mutating func replace(with metadata: [String: any Sendable]) throws(CoreDataError) {
        var changed = plist.filter { Self.isOwn($0.key) }
        for (key, value) in metadata where !Self.isOwn(key) && key != Self.identifierKey {
            changed[key] = value
        }
        pending = try Self.encode(changed)
        plist = changed
    }

    /// Removes a key from this copy of the metadata. The file is not written here.
    package mutating func forget(_ key: String) { plist[key] = nil }

    /// Replaces the values that describe the model. The next save writes them.
    package mutating func adopt(_ model: [String: any Sendable]) throws(CoreDataError) {
        let changed = plist(adopting: model, pendingWork: plist[SchemaMigration.pendingKey] != nil)
        pending = try Self.encode(changed)
        plist = changed
    }

    mutating func notePendingWritten() { pending = nil }

    /// Whether the key belongs to Core Data and not to the application.
    package static func isOwn(_ key: String) -> Bool {
        key == typeKey || key == SchemaMigration.pendingKey || key == "_NSAutoVacuumLevel"
            || key.hasPrefix("NSStoreModelVersion")
            || key.hasPrefix("NSPersistence")
    }

    /// The property list of a new store, which contains the caller's values and those of the
    /// engine.
    static func forNewStore(_ given: [String: any Sendable]) -> [String: any Sendable] {
        var plist = given
        plist[identifierKey] = nil
        plist[typeKey] = "SQLite"
        plist["_NSAutoVacuumLevel"] = "2"
        plist[makerKey] = maker
        return plist
    }

    /// Encodes metadata as bytes that can be read again.
    ///
    /// - Throws: `invalidArgument` for a value that is not a property list, or is nested too
    ///   deeply. With such a value, the store could no longer be opened.
    package static func encode(_ plist: [String: any Sendable]) throws(CoreDataError) -> Data {
        let data = try serialize(plist)
        guard decode(data).count == plist.count else {
            throw CoreDataError(
                .invalidArgument,
                "Store metadata holds a value that could not be read again; nest arrays and"
                    + " dictionaries less deeply")
        }
        return data
    }

    private static func serialize(_ plist: [String: any Sendable]) throws(CoreDataError) -> Data {
        do {
            return try PropertyListSerialization.data(
                fromPropertyList: plist as [String: Any], format: .binary, options: 0)
        } catch {
            throw CoreDataError(
                .invalidArgument,
                "Store metadata holds a value that no property list can contain (\(error)); "
                    + "use strings, numbers, dates, data, arrays and dictionaries")
        }
    }
}

// MARK: Reading

extension StoreMetadata {
    /// Reads the row; nil if the table is empty.
    ///
    /// An unreadable property list is treated as empty, because the store's rows can still be used.
    package static func read(_ connection: Connection) throws(SQLiteError) -> StoreMetadata? {
        let statement = try connection.statement(
            "SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA")
        defer { statement.finish() }
        guard try statement.step() else { return nil }
        let plist = decode(Data(statement.value(2).bytes))
        return StoreMetadata(identifier: statement.text(1), plist: plist)
    }

    package static func decode(_ data: Data) -> [String: any Sendable] {
        guard let dictionary = PropertyListReader.read(data) as? [String: Any] else { return [:] }
        return dictionary.compactMapValues(sendable)
    }

    private static func sendable(_ value: Any) -> (any Sendable)? {
        switch value {
        case let string as String: string
        case let data as Data: data
        case let date as Date: date
        case let array as [Any]: array.compactMap(sendable)
        case let dictionary as [String: Any]: dictionary.compactMapValues(sendable)
        case let number as Bool where type(of: value) == Bool.self: number
        case let number as Int: number
        case let number as Double: number
        case let number as Bool: number
        default: nil
        }
    }
}
