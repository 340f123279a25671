import CoreDataModel
import CoreDataStore
import Foundation

/// Reading models with a reason where they cannot be read.
extension NSManagedObjectModel {
    /// Reads a model file.
    ///
    /// - Parameter url: an `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`.
    /// - Throws: all that keeps the model from being read or used, with file, line, entity and
    ///   property where they are known.
    public class func loaded(from url: URL) throws -> NSManagedObjectModel {
        try bridgingErrors { () throws(CoreDataError) in
            do throws(ModelError) {
                let model = try load(contentsOf: url)
                try model.checkUsable()
                return model
            } catch {
                throw CoreDataError(.fileReadCorrupt, error.description)
            }
        }
    }

    /// Reads the model that a SQLite store carries, as it was when the store was made or migrated.
    ///
    /// Opens the file for reading; nothing of it changes. Without its validation rules.
    ///
    /// - Parameter url: the store's file.
    /// - Throws: where there is no such store, it carries no model, or one that cannot be read.
    public class func carried(byStoreAt url: URL) throws -> NSManagedObjectModel {
        try bridgingErrors { () throws(CoreDataError) in
            let inspection = try StoreInspection.read(url.path)
            if let model = inspection.cachedModel { return model }
            throw CoreDataError(
                .fileReadCorrupt,
                "The model of the store \(url.path) cannot be used:"
                    + " \(inspection.cacheFailure ?? "it carries none").")
        }
    }
}
