import CoreDataModel
import CoreDataSQLite
import CoreDataStore
import Foundation
import LabFiles

enum ModelSource {
    static func model(at path: String) throws(InputErrors) -> NSManagedObjectModel {
        let url = URL(fileURLWithPath: path)
        if isOtherFolder(url) {
            throw InputErrors([
                InputError(
                    file: path, problem: "this folder is not a model",
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

    /// Whether the name and the contents of a folder show that it is not a model.
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

    /// The model that a store contains. If the store never contained a model, it is derived from
    /// the tables.
    ///
    /// - Parameters:
    ///   - copy: the copy of the store, which is read.
    ///   - store: the user's name for the store.
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
                    problem: "this is not a Core Data store in SQLite ("
                        + error.message.replacingOccurrences(of: copy, with: store) + ")",
                    remedy: "name the .sqlite file of an app")
            ])
        }
        if let model = inspection.cachedModel { return model }
        if !inspection.carriesModel, let model = madeOfTables(copy) { return model }
        let why = (inspection.cacheFailure ?? "it contains no SQLite file")
            .replacingOccurrences(of: copy + ": ", with: "")
        throw InputErrors([
            InputError(
                file: store, problem: "the model in the store cannot be used (\(why))",
                remedy: "name the model with --model")
        ])
    }

    /// Derives a model from the tables if the store never contained one. A derived model lacks
    /// information, so an error is better if the store's model cannot be read.
    private static func madeOfTables(_ copy: String) -> NSManagedObjectModel? {
        guard let connection = try? Connection(.file(copy), options: Connection.Options()) else {
            return nil
        }
        return try? SchemaModel.read(connection)
    }
}
