import CoreDataModel
import CoreDataStore
import Foundation

/// Loads models and reports why a model cannot be read.
extension NSManagedObjectModel {
    /// Reads a model file.
    ///
    /// - Parameter url: an `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`.
    /// - Throws: an error if the model cannot be read or used. It names the file, line, entity and
    ///   property, as far as they are known.
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

    /// Reads the model that a SQLite store contains: the one with which the store was created or
    /// last migrated.
    ///
    /// Opens the file only for reading. The returned model has no validation rules.
    ///
    /// - Parameter url: the store's file.
    /// - Throws: an error if the store does not exist, contains no model, or contains an unreadable
    ///   model.
    public class func carried(byStoreAt url: URL) throws -> NSManagedObjectModel {
        try bridgingErrors { () throws(CoreDataError) in
            let inspection = try StoreInspection.read(url.path)
            if let model = inspection.cachedModel { return model }
            throw CoreDataError(
                .fileReadCorrupt,
                "The model of the store \(url.path) cannot be used:"
                    + " \(inspection.cacheFailure ?? "the store contains no model").")
        }
    }
}
