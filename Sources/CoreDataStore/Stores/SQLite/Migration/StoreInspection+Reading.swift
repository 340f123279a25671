import CoreDataModel
import CoreDataSQLite

extension StoreInspection {
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
            // The transaction lets all reads see the same state of the file, even if another
            // process writes to it.
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
                    .fileReadCorrupt, path,
                    "is a database, not a Core Data store; use the path of a store"))
        }
        func inspection(
            _ model: NSManagedObjectModel?, _ failure: String?, carriesModel: Bool = true
        ) -> StoreInspection {
            StoreInspection(
                metadata: metadata.shown, cachedModel: model, cacheFailure: failure,
                carriesModel: carriesModel
            ) { layout in
                Set(found.numbers.keys) == Set(layout.entities.map(\.name))
                    && (try? SchemaCheck(layout: layout).match(found)) != nil
            }
        }
        guard let content = try StoreCompatibility.content(connection) else {
            return .success(
                inspection(nil, "the store contains no model", carriesModel: false))
        }
        do throws(ModelError) {
            let model = try NSManagedObjectModel.cachedModel(content, path: path)
            return .success(inspection(model, nil))
        } catch {
            return .success(inspection(nil, error.description))
        }
    }
}
