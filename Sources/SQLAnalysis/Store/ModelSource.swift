// Owns finding the model that a log or a fetch is about. The commands' entry points ask for it.

import CoreDataEngine
import CoreDataModel
import Foundation
import LabResults

/// Where a model comes from.
enum ModelSource {
    /// Reads a model that the user named.
    static func model(at path: String) throws(InputErrors) -> NSManagedObjectModel {
        do throws(ModelError) {
            return try NSManagedObjectModel.load(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw InputErrors(
                error.findings.map { finding in
                    InputError(
                        file: finding.location?.path ?? path, line: finding.location?.line,
                        column: finding.location?.column, problem: finding.message,
                        remedy: "name an .xcdatamodeld, .xcdatamodel, .momd or .mom")
                })
        }
    }

    /// The model that a store carries.
    ///
    /// - Parameters:
    ///   - copy: the copy that is read.
    ///   - store: the store as the user named it.
    static func model(inCopy copy: String, of store: String) throws(InputErrors)
        -> NSManagedObjectModel
    {
        let inspection: StoreInspection
        do throws(CoreDataError) {
            inspection = try StoreInspection.read(copy)
        } catch {
            throw InputErrors([
                InputError(
                    file: store,
                    problem: "this is no Core Data store in SQLite ("
                        + error.message.replacingOccurrences(of: copy, with: store) + ")",
                    remedy: "name the .sqlite file that an app has made")
            ])
        }
        if let model = inspection.cachedModel { return model }
        let why = (inspection.cacheFailure ?? "it carries none")
            .replacingOccurrences(of: copy + ": ", with: "")
        throw InputErrors([
            InputError(
                file: store, problem: "the store's own model cannot be used (\(why))",
                remedy: "name the model with --model")
        ])
    }
}
