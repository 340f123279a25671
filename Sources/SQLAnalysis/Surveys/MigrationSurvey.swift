import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation
import LabFiles

/// Migrates a store from each version of each model below a folder to the next version, for the
/// command `model --all --migrate`. Compares the values and relationships of one object of each
/// entity before and after.
///
/// Each mapping model between the two versions is used, without its custom migration policies. If
/// the folder contains none, the mapping is inferred.
package struct MigrationSurvey {
    private let folder: String

    package init(folder: String) { self.folder = folder }

    package func run() -> SurveyResult {
        let files = SurveyFiles(folder: folder)
        var result = SurveyResult(
            subject: "migrations between neighbouring versions", verdict: "keep values and links")
        for path in files.versionFolders() {
            let url = URL(fileURLWithPath: folder + "/" + path)
            let names = VersionPlaces.names(in: url)
            for (old, new) in zip(names, names.dropFirst()) {
                survey(url, path, old, new, files.mappingModels(), &result)
            }
        }
        return result
    }

    private func survey(
        _ url: URL, _ path: String, _ old: String, _ new: String, _ mappings: [String],
        _ result: inout SurveyResult
    ) {
        let name = "\(path): \(old) to \(new)"
        let pair: VersionPair
        do {
            pair = try VersionPair(in: url, from: old, to: new)
        } catch {
            return result.note(name, ModelSurvey.firstLine(of: error))
        }
        let ways = mappings.compactMap { mapping in
            pair.mapping(at: URL(fileURLWithPath: folder + "/" + mapping)).map { (mapping, $0) }
        }
        if ways.isEmpty { result.note(name, reason { try pair.checkInference() }) }
        for (mapping, model) in ways {
            result.note("\(name) by \(mapping)", reason { try pair.check(model) })
        }
    }

    private func reason(_ check: () throws -> Void) -> String? {
        do {
            // A survey prints only results, so log messages about the migration are discarded.
            try EngineLog.capture({ _ in }, while: check)
            return nil
        } catch {
            return ModelSurvey.firstLine(of: error)
        }
    }
}

/// Two consecutive versions of a model.
private struct VersionPair {
    private let old: NSManagedObjectModel
    private let new: NSManagedObjectModel

    init(in folder: URL, from old: String, to new: String) throws {
        self.old = ForeignModels.plain(
            try NSManagedObjectModel.load(contentsOf: folder, version: old))
        self.new = ForeignModels.plain(
            try NSManagedObjectModel.load(contentsOf: folder, version: new))
        for model in [self.old, self.new] {
            SurveyTransformer.stand(inFor: model)
        }
    }

    /// A mapping model from the old to the new version, without custom migration policies.
    func mapping(at url: URL) -> NSMappingModel? {
        guard let model = NSMappingModel.reading(url, from: old, to: new) else { return nil }
        for mapping in model.entityMappings { mapping.entityMigrationPolicyClassName = nil }
        return model
    }

    func checkInference() throws {
        try inScratch { store, _ in
            let before = try store.records(old)
            let mapping = try NSMappingModel.inferredMappingModel(
                forSourceModel: old, destinationModel: new)
            try store.migrate(to: new)
            try MigrationComparison(before: before, after: store.records(new), keepsKeys: true)
                .check(mapping)
        }
    }

    func check(_ mapping: NSMappingModel) throws {
        try inScratch { store, target in
            let before = try store.records(old)
            try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
                from: store.url, sourceType: NSSQLiteStoreType, with: mapping,
                toDestinationURL: target.url, destinationType: NSSQLiteStoreType)
            try MigrationComparison(before: before, after: target.records(new), keepsKeys: false)
                .check(mapping)
        }
    }

    /// Creates a store of the old version.
    private func inScratch(_ body: (SampleStore, SampleStore) throws -> Void) throws {
        let scratch = try TemporaryFolder("migration")
        defer { scratch.remove() }
        let folder = URL(fileURLWithPath: scratch.path)
        let store = SampleStore(url: folder.appendingPathComponent("store.sqlite"))
        try store.make(old)
        try body(store, SampleStore(url: folder.appendingPathComponent("new.sqlite")))
    }
}
