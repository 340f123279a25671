import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Walks a store through the stages of a staged migration.
///
/// Made by the coordinator when a store that does not fit is added with a staged migration
/// manager. Each step between two versions is a transaction of its own.
struct StagedMigration {
    let manager: NSStagedMigrationManager
    let migration: StoreMigration

    /// One version on the way, and the custom stage that leads to it.
    private struct Step {
        let checksum: String
        let stage: NSCustomMigrationStage?
    }

    /// Migrates the store to the coordinator's model.
    ///
    /// - Throws: 134060 for stages that give no order, 134504 for a version that cannot be found,
    ///   134505 for a store of another framework that carries no model of a known version, 134506
    ///   for a store that is newer than the model, what a handler throws, and what the lightweight
    ///   migrations throw.
    func run() throws(CoreDataError) {
        let order = try order()
        let end = migration.destination.model.versionChecksum
        guard let last = order.firstIndex(where: { $0.checksum == end }) else {
            throw CoreDataError(
                .modelReferenceNotFound,
                "No stage leads to the coordinator's model (\(end)). Add one that ends with it.")
        }
        var start = try start(in: order)
        guard start.place <= last else {
            throw CoreDataError(
                .stagedMigrationBackward,
                "The store is newer than the coordinator's model. Open it with a newer model.")
        }
        while start.place < last {
            let place = start.place
            do throws(CoreDataError) {
                try take(
                    order[place + 1], from: try model(order[place].checksum),
                    metadata: start.metadata)
                start = try self.start(in: order)
                guard start.place > place else { throw standstill(order[place + 1]) }
            } catch {
                // Another process that goes the same way may have come further meanwhile.
                guard let now = try? self.start(in: order), now.place > place else { throw error }
                start = now
            }
        }
    }

    private func standstill(_ step: Step) -> CoreDataError {
        CoreDataError(
            .migration,
            "The stage '\(step.stage?.label ?? step.checksum)' left the store in the version that"
                + " it had. Do not set the model's hashes in its handlers.",
            info: ["NSFilePath": migration.path])
    }

    // MARK: Order

    /// The place of the version that the store has.
    ///
    /// Hashes that another framework wrote are not ours, and a store of a configuration has those
    /// of some entities; the model in the store's cache says then which version it is.
    private func start(
        in order: [Step]
    ) throws(CoreDataError) -> (place: Int, metadata: [String: any Sendable]) {
        let inspection = try StoreInspection.read(migration.path)
        let hashes = inspection.metadata[VersionDigest.hashesKey] as? [String: Data] ?? [:]
        let isOurs = inspection.metadata[StoreMetadata.makerKey] as? String == StoreMetadata.maker
        let stored = VersionDigest(hashes).checksum
        let isWhole = isOurs && migration.configuration == nil
        let known = isWhole ? [stored] : [stored, inspection.cachedModel?.versionChecksum]
        for checksum in known {
            if let place = order.firstIndex(where: { $0.checksum == checksum }) {
                return (place, inspection.metadata)
            }
        }
        guard isOurs else {
            throw CoreDataError(
                .stagedMigrationFrameworkVersion,
                "The store's version cannot be told: another framework wrote its hashes. Update"
                    + " its metadata first: open it once with the model that it was made with and"
                    + " NSIgnorePersistentStoreVersioningOption, and save.",
                info: ["NSFilePath": migration.path])
        }
        throw CoreDataError(
            .modelReferenceNotFound,
            "No stage begins with the store's version (\(stored)). Add one that has it.")
    }

    private func order() throws(CoreDataError) -> [Step] {
        var steps: [Step] = []
        func add(_ checksum: String, _ stage: NSCustomMigrationStage?) throws(CoreDataError) {
            if stage == nil, steps.last?.checksum == checksum { return }
            guard !steps.contains(where: { $0.checksum == checksum }) else {
                throw CoreDataError(
                    .invalidArgument,
                    "Two stages lead to the version \(checksum). Leave one of them out.")
            }
            steps.append(Step(checksum: checksum, stage: stage))
        }
        for stage in manager.stages {
            switch stage {
            case let stage as NSLightweightMigrationStage:
                for checksum in stage.versionChecksums { try add(checksum, nil) }
            case let stage as NSCustomMigrationStage:
                try add(stage.currentModel.versionChecksum, nil)
                try add(stage.nextModel.versionChecksum, stage)
            default: break
            }
        }
        return steps
    }

    private func model(_ checksum: String) throws(CoreDataError) -> NSManagedObjectModel {
        let destination = migration.destination.model
        if destination.versionChecksum == checksum { return destination }
        for case let stage as NSCustomMigrationStage in manager.stages {
            for reference in [stage.currentModel, stage.nextModel]
            where reference.versionChecksum == checksum {
                return try resolve(reference)
            }
        }
        let bundles = [Bundle.main] + Bundle.allBundles
        let found = VersionSearch(checksum: checksum).model(
            in: destination.versionsFolder, bundles: bundles)
        if let found { return found }
        // The store carries the version that it has now.
        let cached = try StoreInspection.read(migration.path).cachedModel
        if let cached, cached.versionChecksum == checksum { return cached }
        throw CoreDataError(
            .modelReferenceNotFound,
            "No model with the checksum \(checksum) was found. Put it into the bundle, or name it"
                + " in a custom stage.")
    }

    private func resolve(
        _ reference: NSManagedObjectModelReference
    ) throws(CoreDataError) -> NSManagedObjectModel {
        do {
            return try reference.resolve()
        } catch {
            throw CoreDataError(.modelReferenceNotFound, error.description)
        }
    }

    // MARK: Steps

    /// - Parameter metadata: what the store said when it was found to be of the current version.
    private func take(
        _ step: Step, from current: NSManagedObjectModel, metadata: [String: any Sendable]
    ) throws(CoreDataError) {
        let next = try model(step.checksum)
        if let stage = step.stage, let handler = stage.willMigrateHandler {
            try call(handler, stage, with: current)
        }
        let leg = StoreMigration(
            path: migration.path, destination: try GenericModel.binding(of: next),
            configuration: migration.configuration, options: migration.options,
            trace: migration.trace)
        try leg.migrateInPlace(from: try GenericModel.binding(of: current), metadata: metadata)
        if let stage = step.stage, let handler = stage.didMigrateHandler {
            try call(handler, stage, with: next)
        }
    }

    private func call(
        _ handler: (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void,
        _ stage: NSCustomMigrationStage, with model: NSManagedObjectModel
    ) throws(CoreDataError) {
        let binding = try GenericModel.binding(of: model)
        let container = NSPersistentContainer(name: stage.label, managedObjectModel: binding.model)
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: migration.path))
        description.shouldMigrateStoreAutomatically = false
        description.configuration = migration.configuration
        container.persistentStoreDescriptions = [description]
        _ = try container.persistentStoreCoordinator.add(
            type: description.type, configuration: migration.configuration, url: description.url,
            options: migration.optionsForOpening)
        manager.container = container
        defer {
            manager.container = nil
            for store in container.persistentStoreCoordinator.persistentStores {
                try? container.persistentStoreCoordinator.remove(store)
            }
        }
        do { try handler(manager, stage) } catch { throw CoreDataError(error) }
    }
}
