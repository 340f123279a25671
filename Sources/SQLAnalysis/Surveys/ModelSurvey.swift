import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import LabFiles

/// Tests every model version below a folder, for the command `model --all`. A version passes if the
/// model can be loaded, and a new store can save and read one object of each concrete entity.
package struct ModelSurvey {
    private let folder: String

    package init(folder: String) { self.folder = folder }

    package func run() -> SurveyResult {
        var result = SurveyResult(subject: "model versions")
        for path in SurveyFiles(folder: folder).modelVersions() {
            do {
                let lacking = try Self.check(at: URL(fileURLWithPath: folder + "/" + path))
                result.note(path, lacking: lacking)
            } catch {
                result.note(path, Self.firstLine(of: error))
            }
        }
        return result
    }

    static func firstLine(of error: any Error) -> String {
        let text =
            switch error {
            case let error as CoreDataError: error.message
            case let error as any CustomStringConvertible: error.description
            default: (error as NSError).localizedDescription
            }
        return text.split(separator: "\n").first.map(String.init) ?? text
    }

    /// Tests a version.
    ///
    /// - Returns: the names of the value transformers that a program must register.
    private static func check(at url: URL) throws -> [String] {
        let model = ForeignModels.plain(try NSManagedObjectModel.load(contentsOf: url))
        let lacking = SurveyTransformer.stand(inFor: model)
        let scratch = try TemporaryFolder("model")
        defer { scratch.remove() }
        let store = SampleStore(url: URL(fileURLWithPath: scratch.path + "/store.sqlite"))
        try store.use(model) { context in
            try SampleGraph(model: model, context: context).save()
            context.reset()
            for entity in model.entities where !entity.isAbstract {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                request.includesSubentities = false
                request.returnsObjectsAsFaults = false
                let found = try context.fetch(request)
                guard found.count == 1 else {
                    throw SurveyProblem("\(found.count) objects of \(entity.name ?? "") were saved")
                }
            }
        }
        return lacking
    }
}
