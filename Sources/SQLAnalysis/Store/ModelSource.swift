import CoreDataModel
import CoreDataSQLite
import CoreDataStore
import Foundation
import LabResults

/// Where a model comes from.
///
/// The commands' entry points ask for it.
enum ModelSource {
    /// Reads a model that the user named.
    static func model(at path: String) throws(InputErrors) -> NSManagedObjectModel {
        let url = URL(fileURLWithPath: path)
        if isOtherFolder(url) {
            throw InputErrors([
                InputError(
                    file: path, problem: "this folder is no model",
                    remedy: "name an .xcdatamodeld, .xcdatamodel, .momd or .mom")
            ])
        }
        do throws(ModelError) {
            return try NSManagedObjectModel.load(contentsOf: url)
        } catch {
            throw InputErrors(
                error.findings.map { finding in
                    let place = finding.location
                    return InputError(
                        file: place.flatMap { $0.path == url.path ? nil : $0.path } ?? path,
                        line: place?.line, column: place?.column, problem: finding.problem,
                        remedy: finding.advice
                            ?? "name an .xcdatamodeld, .xcdatamodel, .momd or .mom")
                })
        }
    }

    /// A folder that is neither called as models are nor has what a version of one has.
    private static func isOtherFolder(_ url: URL) -> Bool {
        let files = FileManager.default
        var isFolder: ObjCBool = false
        guard files.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue,
            !["xcdatamodeld", "xcdatamodel", "momd"].contains(url.pathExtension)
        else { return false }
        return !["contents", "elements"].contains {
            files.fileExists(atPath: url.appendingPathComponent($0).path)
        }
    }

    /// The model that a store carries; for one without, what its tables tell.
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
        if !inspection.carriesModel, let model = madeOfTables(copy) { return model }
        let why = (inspection.cacheFailure ?? "it carries none")
            .replacingOccurrences(of: copy + ": ", with: "")
        throw InputErrors([
            InputError(
                file: store, problem: "the store's own model cannot be used (\(why))",
                remedy: "name the model with --model")
        ])
    }

    /// Only for a store that never had a model: one that cannot be read says more than its tables.
    private static func madeOfTables(_ copy: String) -> NSManagedObjectModel? {
        guard let connection = try? Connection(.file(copy), options: Connection.Options()) else {
            return nil
        }
        return try? SchemaModel.read(connection)
    }
}
