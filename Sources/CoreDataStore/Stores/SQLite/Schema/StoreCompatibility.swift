import CoreDataModel
import CoreDataSQLite
import Foundation

/// Compares the version hashes of a store with those of the model with which it is opened.
///
/// Hashes that another framework has computed cannot be compared. For such a store, the hashes of
/// its cached model are computed and compared. Without a cached model, only the tables and columns
/// are checked.
enum StoreCompatibility {
    /// The error for different hashes; nil if the hashes are equal, or if there is nothing to
    /// compare.
    ///
    /// - Parameter expected: the hashes of the configuration's entities; nil skips the check.
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

    /// The content of `Z_MODELCACHE`; nil if the table is missing or has no content.
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
        .incompatible(metadata.shown, stored, expected, path)
    }
}

extension CoreDataError {
    /// The error for a store whose version hashes differ from those of the model.
    package static func incompatible(
        _ metadata: [String: any Sendable], _ stored: [String: Data], _ expected: [String: Data],
        _ path: String
    ) -> CoreDataError {
        let names = Set(stored.keys).union(expected.keys)
        let different = names.filter { stored[$0] != expected[$0] }.sorted()
        let reason =
            "The model used to open the store is incompatible with the one used to create the store"
        return CoreDataError(
            .storeIncompatibleVersionHash,
            "\(reason): \(different.joined(separator: ", ")) differ. Open the store with the model"
                + " that created it, or migrate the store.",
            info: ["reason": reason, "NSFilePath": path],
            payload: CoreDataError.Payload(userInfo: ["metadata": metadata]))
    }
}
