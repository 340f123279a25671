import CoreDataModel
import CoreDataSQLite
import Foundation

/// Compares the version hashes of a store with those of the model that it is opened with.
///
/// Asked when an existing file opens. Hashes of a store that another framework wrote are not
/// ours; such a store is judged by the model in its cache, whose hashes we compute, or without one
/// by its tables and columns alone.
enum StoreCompatibility {
    /// Nil where the store's hashes are those expected, or where there is nothing to compare.
    ///
    /// - Parameter expected: the hashes of the configuration's entities; nil leaves the check out.
    package static func error(
        _ metadata: StoreMetadata, expected: [String: Data]?, _ connection: Connection, path: String
    ) throws(SQLiteError) -> CoreDataError? {
        guard let expected, let stored = metadata.plist[VersionDigest.hashesKey] as? [String: Data],
            stored != expected
        else { return nil }
        if metadata.hasOwnHashes { return incompatible(metadata, stored, expected, path) }
        let cached = try content(connection).flatMap {
            try? NSManagedObjectModel.cachedModel($0, path: path)
        }
        guard let cached = cached?.entityVersionHashesByName else { return nil }
        let known = stored.keys.reduce(into: [:]) { $0[$1] = cached[$1] }
        return known == expected ? nil : incompatible(metadata, known, expected, path)
    }

    /// What `Z_MODELCACHE` holds, or nil.
    package static func content(_ connection: Connection) throws(SQLiteError) -> Data? {
        guard
            try connection.firstText(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'Z_MODELCACHE'")
                != nil
        else { return nil }
        let statement = try connection.statement("SELECT Z_CONTENT FROM Z_MODELCACHE")
        defer { statement.finish() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return Data(statement.value(0).bytes)
    }

    private static func incompatible(
        _ metadata: StoreMetadata, _ stored: [String: Data], _ expected: [String: Data],
        _ path: String
    ) -> CoreDataError {
        let names = Set(stored.keys).union(expected.keys)
        let different = names.filter { stored[$0] != expected[$0] }.sorted()
        let reason =
            "The model used to open the store is incompatible with the one used to create the store"
        return CoreDataError(
            .storeIncompatibleVersionHash,
            "\(reason): \(different.joined(separator: ", ")) differ. Open it with the model that"
                + " it was made with, or let it be migrated.",
            info: ["reason": reason, "NSFilePath": path],
            payload: CoreDataError.Payload(userInfo: ["metadata": metadata.shown]))
    }
}
