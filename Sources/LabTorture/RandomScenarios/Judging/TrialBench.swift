import CoreDataStore
import Foundation
import LabRunner
import LabScenario

/// Runs trials. Provides a folder for their files, and caches the model that many drafts share.
final class TrialBench {
    struct Model {
        let entities: [ScenarioDraft.Entity]
        let shape: ModelShape
        let view: ModelView
        let trial: TrialModel
    }

    let folder: String
    private var last: Model?
    private var stores = 0
    let reader = ScenarioReader()

    /// - Parameter folder: an existing folder that nothing else uses.
    init(folder: String) { self.folder = folder }

    /// The model of a draft. It is created only if it differs from the model of the previous draft.
    func model(of draft: ScenarioDraft) throws -> Model {
        if let last, last.entities == draft.entities { return last }
        let shape = try draft.shape()
        let made = Model(
            entities: draft.entities, shape: shape, view: ModelView(shape),
            trial: try TrialModel(shape))
        last = made
        return made
    }

    /// Calls a closure with a trial of a scenario in one kind of store.
    func withTrial<Result>(
        _ scenario: Scenario, _ store: StoreSpec.Kind, _ model: TrialModel,
        countsConflicts: Bool = false, patience: Duration = .seconds(10),
        _ body: (ScenarioTrial) throws -> Result
    ) throws -> Result {
        var scenario = scenario
        scenario.store.kind = .value(store)
        let needsFolder = store != .image && store != .memory
        stores += 1
        let path = needsFolder ? "\(folder)/\(stores)" : folder
        if needsFolder {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        }
        defer { if needsFolder { try? FileManager.default.removeItem(atPath: path) } }
        let trial = try ScenarioTrial(
            scenario, model: model, folder: path, countsConflicts: countsConflicts,
            patience: patience)
        defer { trial.close() }
        return try body(trial)
    }
}
