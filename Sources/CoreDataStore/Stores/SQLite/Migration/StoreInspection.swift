import CoreDataModel
import CoreDataSQLite
import CoreDataTrace
import Foundation

/// Information that a store's file contains, read before the store is opened with a model.
///
/// Used by migration, and to read a store's metadata. Changes nothing in the file.
package struct StoreInspection {
    /// The store's metadata, including its type and UUID.
    package let metadata: [String: any Sendable]
    /// The model in the store's cache; nil if it does not exist or cannot be read.
    package let cachedModel: NSManagedObjectModel?
    /// The reason why the cached model is missing.
    package let cacheFailure: String?
    /// Whether the store has a model in its cache, even one that cannot be read.
    package let carriesModel: Bool
    private let found: SchemaCheck.Found

    /// Whether another framework created the store, whose hashes cannot be computed.
    package var isForeign: Bool {
        metadata[StoreMetadata.makerKey] as? String != StoreMetadata.maker
    }

    /// Whether the file has the entities of a model, and the tables and columns that they need.
    package func fits(_ layout: ModelLayout) -> Bool {
        Set(found.numbers.keys) == Set(layout.entities.map(\.name))
            && (try? SchemaCheck(layout: layout).match(found)) != nil
    }

    /// Reads the metadata and the cached model of a file.
    ///
    /// - Throws: 260 if the file does not exist, 259 if it is not a store.
    package static func read(_ path: String) throws(CoreDataError) -> StoreInspection {
        try StoreFile.check(path, isReadOnly: true)
        let inspected: Result<StoreInspection, CoreDataError>
        do throws(SQLiteError) {
            var settings = Connection.Options()
            settings.createsFile = false
            let connection = try Connection(.file(path), options: settings)
            connection.checkpointsOnClose = false
            // One state of the file, even if another process writes meanwhile.
            inspected = try connection.transaction(.deferred) { () throws(SQLiteError) in
                try read(connection, path)
            }
        } catch {
            throw CoreDataError(error, path: path)
        }
        return try inspected.get()
    }

    private static func read(
        _ connection: Connection, _ path: String
    ) throws(SQLiteError) -> Result<StoreInspection, CoreDataError> {
        let found = try SchemaCheck.read(connection)
        guard found.hasMetadata,
            let metadata = try StoreMetadata.read(connection)
        else {
            return .failure(
                StoreFile.error(
                    .fileReadCorrupt, path, "is a database, not a Core Data store; name a store"))
        }
        guard let content = try StoreCompatibility.content(connection) else {
            return .success(
                StoreInspection(
                    metadata: metadata.shown, cachedModel: nil,
                    cacheFailure: "the store carries no model", carriesModel: false, found: found))
        }
        do throws(ModelError) {
            let model = try NSManagedObjectModel.cachedModel(content, path: path)
            return .success(
                StoreInspection(
                    metadata: metadata.shown, cachedModel: model, cacheFailure: nil,
                    carriesModel: true, found: found))
        } catch {
            return .success(
                StoreInspection(
                    metadata: metadata.shown, cachedModel: nil, cacheFailure: error.description,
                    carriesModel: true, found: found))
        }
    }
}
