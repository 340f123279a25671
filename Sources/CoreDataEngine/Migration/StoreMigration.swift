import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Migrates one store to a coordinator's model before the store is opened.
///
/// The coordinator uses it if a store does not fit the model and the options request a migration.
struct StoreMigration {
    let type: String
    let upgrade: any StoreUpgrade
    let location: StoreLocation
    let destination: ModelBinding
    let configuration: String?
    let options: [AnyHashable: Any]
    let trace: Trace
    /// Called after each statement; tests use it to interrupt the migration.
    var afterStep: ((String) throws(CoreDataError) -> Void)?

    static func isWanted(_ options: [AnyHashable: Any]?) -> Bool {
        flag(NSMigratePersistentStoresAutomaticallyOption, options)
    }

    private static func flag(_ key: String, _ options: [AnyHashable: Any]?) -> Bool {
        (options?[key] as? NSNumber)?.boolValue ?? options?[key] as? Bool ?? false
    }

    var optionsForOpening: [AnyHashable: Any] {
        let asking: Set<AnyHashable> = [
            NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
            NSPersistentStoreStagedMigrationManagerOptionKey,
            NSPersistentStoreDeferredLightweightMigrationOptionKey,
        ]
        return options.filter { !asking.contains($0.key) }
    }

    var infers: Bool { Self.flag(NSInferMappingModelAutomaticallyOption, options) }

    /// Finds the source model and the mapping, and migrates the store.
    ///
    /// A mapping model in a bundle takes precedence over an inferred one.
    ///
    /// - Throws:
    ///   - 134130 without a source model.
    ///   - 134140 without a mapping model.
    ///   - 134190 if no mapping can be inferred.
    ///   - The errors of the migration itself; the file is then unchanged.
    func run() throws(CoreDataError) {
        let inspection = try upgrade.inspect(location)
        // Another process may have migrated the store already.
        if isDone(inspection) { return }
        if let error = StoreMetadata.dueError(inspection.metadata, path: location.text) {
            throw error
        }
        let search = SourceSearch(
            destination: destination, configuration: configuration, path: location.text)
        let source = try search.source(of: inspection)
        do throws(CoreDataError) {
            try migrate(from: source, inspection)
        } catch {
            throw error.naming(source)
        }
    }

    private func migrate(
        from source: MigrationSource, _ inspection: StoreInspection
    ) throws(CoreDataError) {
        if let mapping = NSMappingModel(
            from: nil, forSourceModel: source.model, destinationModel: destination.model),
            !source.isCache || mapping.namesAllSources(of: source.model)
        {
            try migrate(from: source.binding, with: mapping, inspection)
        } else if infers {
            try migrateInPlace(from: source.binding, metadata: inspection.metadata)
        } else {
            throw missingMapping(source.binding)
        }
    }

    private func isDone(_ inspection: StoreInspection) -> Bool {
        let stored = inspection.metadata[VersionDigest.hashesKey] as? [String: Data]
        let wanted = destination.model.storeMetadata(forConfigurationName: configuration)
        return stored != nil && stored == wanted?[VersionDigest.hashesKey] as? [String: Data]
    }

    /// The time that statements wait for locks, according to the options.
    private func timeout() throws(CoreDataError) -> Int {
        try StoreOptionsReader(options).timeoutMilliseconds()
            ?? StoreOptionsReader.usualTimeoutMilliseconds
    }

    private func missingMapping(_ source: ModelBinding) -> CoreDataError {
        let reason = "Persistent store migration failed, missing mapping model."
        return CoreDataError(
            .migrationMissingMappingModel,
            "\(reason) Put one into the bundle, or set NSInferMappingModelAutomaticallyOption.",
            info: ["reason": reason, "NSFilePath": location.text],
            payload: CoreDataError.Payload(
                userInfo: ["sourceModel": source.model, "destinationModel": destination.model]))
    }

    /// The entities of the store's configuration. All entities, if the model does not have the
    /// configuration.
    private func entities(in binding: ModelBinding) -> Set<Int> {
        let model = binding.model
        let found = model.entities(forConfigurationName: configuration) ?? model.entities
        return Set(found.map(\.layout.index))
    }

    // MARK: Both kinds

    /// Migrates the rows in place with SQL statements, in one transaction.
    ///
    /// - Parameter noting: additional metadata for the store.
    func migrateInPlace(
        from source: ModelBinding, metadata: [String: any Sendable],
        noting notes: [String: any Sendable] = [:]
    ) throws(CoreDataError) {
        let mapping = try MappingInference(source: source, destination: destination).mapping()
        let newMetadata =
            destination.model.storeMetadata(forConfigurationName: configuration) ?? [:]
        let hashes = metadata[VersionDigest.hashesKey] as? [String: Data] ?? [:]
        var change = SchemaChange(
            source: source.layout, destination: destination.layout, mapping: mapping,
            sourceHashes: hashes,
            newMetadata: newMetadata.merging(notes) { $1 },
            newModelCache: destination.model.cachedModelData())
        change.isDeferred = Self.flag(
            NSPersistentStoreDeferredLightweightMigrationOptionKey, options)
        if configuration != nil {
            change.configured = (entities(in: source), entities(in: destination))
        }
        change.timeoutMilliseconds = try timeout()
        change.afterStep = afterStep
        let work = change
        try MigrationLog.note(location.text, from: source.model, to: destination.model) {
            () throws(CoreDataError) in try upgrade.migrate(location, by: work, trace: trace)
        }
    }
}

extension CoreDataError {
    /// Adds the version from which the migration started to an error.
    fileprivate func naming(_ source: MigrationSource) -> CoreDataError {
        // An error that the program has thrown is passed on unchanged.
        guard payload?.original == nil else { return self }
        var error = self
        error.message += " The migration began with the \(source.text)."
        return error
    }
}

// MARK: By objects

extension StoreMigration {
    /// Migrates the objects into a new file with a mapping model, and then replaces the store's
    /// content with the content of the new file.
    ///
    /// The new content keeps the store's UUID and the program's metadata.
    func migrate(
        from source: ModelBinding, with mapping: NSMappingModel, _ inspection: StoreInspection
    ) throws(CoreDataError) {
        let manager = NSMigrationManager(
            sourceModel: source.model, destinationModel: destination.model)
        manager.configuration = configuration
        manager.inheritedMetadata = inspection.metadata
        let hashes = inspection.metadata[VersionDigest.hashesKey] as? [String: Data] ?? [:]
        let replacement = ContentReplacement(
            hashes: hashes, timeoutMilliseconds: try timeout(), trace: trace)
        try MigrationLog.note(location.text, from: source.model, to: destination.model) {
            () throws(CoreDataError) in
            try upgrade.replaceContent(of: location, replacement) {
                made, madeOptions throws(CoreDataError) in
                do {
                    try manager.migrateStore(
                        from: location.url, sourceType: type, options: optionsForOpening,
                        with: mapping, toDestinationURL: made, destinationType: type,
                        destinationOptions: optionsForOpening.merging(madeOptions) { $1 })
                } catch {
                    throw CoreDataError(error)
                }
                return manager.rowsWritten
            }
        }
    }
}
