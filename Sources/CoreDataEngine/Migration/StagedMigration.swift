import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Migrates a store through the stages of a staged migration.
///
/// The coordinator starts a staged migration if a store does not fit its model and is added with a
/// staged migration manager. Each step from one version to the next is one transaction, and each
/// handler is another. The transaction of a step records that the handler after it is due, and the
/// handler's transaction removes that record. So if a handler fails, or the process ends in it, the
/// handler runs again.
struct StagedMigration {
    let manager: NSStagedMigrationManager
    let migration: StoreMigration

    /// One version in the sequence, and the custom stage that migrates to it.
    private struct Step {
        let checksum: String
        let stage: NSCustomMigrationStage?
    }

    /// Migrates the store to the coordinator's model.
    ///
    /// - Throws:
    ///   - 134060 for stages without a consistent order.
    ///   - 134504 for a version that cannot be found.
    ///   - 134505 for a store of another framework that contains no model of a known version.
    ///   - 134506 for a store that is newer than the model.
    ///   - The errors of handlers and of lightweight migrations.
    func run() throws(CoreDataError) {
        let order = try order()
        let end = migration.destination.model.versionChecksum
        guard let last = order.firstIndex(where: { $0.checksum == end }) else {
            throw CoreDataError(
                .modelReferenceNotFound,
                "No stage leads to the coordinator's model (\(end)). Add a stage that ends with"
                    + " this model."
            )
        }
        var start = try start(in: order)
        while let work = try work(from: start, to: last) {
            var refusal: CoreDataError?
            var next = start
            do throws(CoreDataError) {
                refusal = try perform(work, in: order, start.metadata)
                next = try self.start(in: order)
                guard refusal != nil || work.isDone(at: next) else {
                    throw standstill(order[next.place])
                }
            } catch {
                // Another process may have migrated the store further meanwhile.
                guard let now = try? self.start(in: order), work.isDone(at: now) else {
                    throw error
                }
                (next, refusal) = (now, nil)
            }
            if let refusal { throw refusal }
            start = next
        }
    }

    /// The store's current version.
    private struct Start {
        let place: Int
        let metadata: [String: any Sendable]

        /// Whether the handler after the step to this version is still due.
        var isUnfinished: Bool { metadata[StoreMetadata.dueKey] != nil }
    }

    /// The next action.
    private enum Work {
        case handler(at: Int)
        case step(from: Int)

        func isDone(at start: Start) -> Bool {
            switch self {
            case .handler(let place): start.place > place || !start.isUnfinished
            case .step(let place): start.place > place
            }
        }
    }

    private func work(from start: Start, to last: Int) throws(CoreDataError) -> Work? {
        guard start.place <= last else {
            throw CoreDataError(
                .stagedMigrationBackward,
                "The store is newer than the coordinator's model. Open it with a newer model.")
        }
        if start.isUnfinished { return .handler(at: start.place) }
        return start.place < last ? .step(from: start.place) : nil
    }

    /// - Returns: the error of a handler. This error always ends the migration. An error that is
    ///   thrown is ignored if another process has done the work.
    private func perform(
        _ work: Work, in order: [Step], _ metadata: [String: any Sendable]
    ) throws(CoreDataError) -> CoreDataError? {
        switch work {
        case .handler(let place): return try finish(order[place], metadata)
        case .step(let place):
            return try take(
                order[place + 1], from: try model(order[place].checksum), metadata: metadata)
        }
    }

    /// Runs the pending handler after the step to the store's version.
    private func finish(
        _ step: Step, _ metadata: [String: any Sendable]
    ) throws(CoreDataError) -> CoreDataError? {
        guard let stage = step.stage, metadata[StoreMetadata.dueKey] as? String == step.checksum
        else {
            throw StoreMetadata.dueError(metadata, path: migration.location.text)
                ?? standstill(step)
        }
        return try call(
            stage.didMigrateHandler, stage, with: try model(step.checksum),
            if: { $0[StoreMetadata.dueKey] as? String == step.checksum })
    }

    private func standstill(_ step: Step) -> CoreDataError {
        CoreDataError(
            .migration,
            "The stage '\(step.stage?.label ?? step.checksum)' did not change the store's version."
                + " Do not set the model's hashes in its handlers.",
            info: ["NSFilePath": migration.location.text])
    }

    // MARK: Order

    /// The position of the store's version in the sequence of versions.
    ///
    /// Hashes that another framework wrote cannot be compared. A store with a configuration has
    /// hashes of only some entities. For such stores, the model in the store's cache is also
    /// compared.
    private func start(in order: [Step]) throws(CoreDataError) -> Start {
        let inspection = try migration.upgrade.inspect(migration.location)
        let hashes = inspection.metadata[VersionDigest.hashesKey] as? [String: Data] ?? [:]
        let stored = VersionDigest(hashes).checksum
        let isWhole = !inspection.isForeign && migration.configuration == nil
        let known = isWhole ? [stored] : [stored, inspection.cachedModel?.versionChecksum]
        for checksum in known {
            if let place = order.firstIndex(where: { $0.checksum == checksum }) {
                return Start(place: place, metadata: inspection.metadata)
            }
        }
        guard !inspection.isForeign else {
            throw CoreDataError(
                .stagedMigrationFrameworkVersion,
                "The store's version is unknown, because another framework wrote its hashes. Update"
                    + " its metadata first: open it once with the model that created it and"
                    + " NSIgnorePersistentStoreVersioningOption, and save.",
                info: ["NSFilePath": migration.location.text])
        }
        throw CoreDataError(
            .modelReferenceNotFound,
            "No stage begins with the store's version (\(stored)). Add a stage that begins with"
                + " this version."
        )
    }

    private func order() throws(CoreDataError) -> [Step] {
        var steps: [Step] = []
        func add(_ checksum: String, _ stage: NSCustomMigrationStage?) throws(CoreDataError) {
            if stage == nil, steps.last?.checksum == checksum { return }
            guard !steps.contains(where: { $0.checksum == checksum }) else {
                throw CoreDataError(
                    .invalidArgument,
                    "Two stages lead to the version \(checksum). Remove one of them.")
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
        let places = VersionPlaces(
            beside: destination, bundles: [Bundle.main] + Bundle.allBundles)
        if let found = VersionSearch(checksum: checksum).version(in: places) { return found.model }
        // The store's cache contains the model of the current version.
        let cached = try migration.upgrade.inspect(migration.location).cachedModel
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

    /// - Parameter metadata: the metadata of the store at the current version.
    /// - Returns: the error of the handler before the step.
    private func take(
        _ step: Step, from current: NSManagedObjectModel, metadata: [String: any Sendable]
    ) throws(CoreDataError) -> CoreDataError? {
        let next = try model(step.checksum)
        let hashes = metadata[VersionDigest.hashesKey] as? [String: Data]
        if let stage = step.stage, stage.willMigrateHandler != nil {
            let refusal = try call(
                stage.willMigrateHandler, stage, with: current,
                if: { $0[VersionDigest.hashesKey] as? [String: Data] == hashes })
            if let refusal { return refusal }
        }
        let leg = StoreMigration(
            type: migration.type, upgrade: migration.upgrade, location: migration.location,
            destination: try GenericModel.binding(of: next),
            configuration: migration.configuration, options: migration.options,
            trace: migration.trace)
        // Records that the handler after the step is due. If the process ends after the step, the
        // next process that opens the store finds the record.
        let notes = step.stage?.didMigrateHandler.map { _ in [StoreMetadata.dueKey: step.checksum] }
        try leg.migrateInPlace(
            from: try GenericModel.binding(of: current), metadata: metadata, noting: notes ?? [:])
        return nil
    }

    private typealias Handler = (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void

    /// Calls a handler inside one transaction. The transaction contains the saves of the handler,
    /// and blocks saves of other connections.
    ///
    /// - Parameter isNeeded: checks the metadata after the store is locked. If another process has
    ///   done the work, the handler is not called.
    /// - Returns: the handler's error; all of its changes are rolled back.
    /// - Throws: an error if the store cannot be opened, locked or written.
    private func call(
        _ handler: Handler?, _ stage: NSCustomMigrationStage, with model: NSManagedObjectModel,
        if isNeeded: ([String: any Sendable]) -> Bool
    ) throws(CoreDataError) -> CoreDataError? {
        let binding = try GenericModel.binding(of: model)
        let container = NSPersistentContainer(name: stage.label, managedObjectModel: binding.model)
        let description = NSPersistentStoreDescription(url: migration.location.url)
        description.type = migration.type
        description.shouldMigrateStoreAutomatically = false
        description.configuration = migration.configuration
        container.persistentStoreDescriptions = [description]
        let coordinator = container.persistentStoreCoordinator
        let backend = try migration.upgrade.openHolding(
            StoreRequest(
                model: coordinator.frozenModel, trace: coordinator.trace,
                location: migration.location, configuration: migration.configuration,
                options: migration.optionsForOpening))
        guard try backend.hold(if: isNeeded) else {
            backend.close()
            return nil
        }
        _ = try coordinator.add(
            backend, type: description.type, configuration: migration.configuration,
            url: description.url, options: migration.optionsForOpening)
        manager.container = container
        defer {
            manager.container = nil
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
        }
        do { try handler?(manager, stage) } catch {
            try? backend.undoHold()
            return CoreDataError(error)
        }
        try backend.commitHold(forgetting: StoreMetadata.dueKey)
        return nil
    }
}
