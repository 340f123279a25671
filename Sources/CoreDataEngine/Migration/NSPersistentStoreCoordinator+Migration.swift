import CoreDataModel
import Foundation

extension NSPersistentStoreCoordinator {
    /// Does what lightweight migrations of this coordinator's stores left for later.
    ///
    /// Tables with columns that nobody needs are made anew, tables that nobody needs are dropped;
    /// one transaction for each store. Without such work it costs nothing.
    public func finishDeferredLightweightMigration() throws {
        try bridgingErrors { () throws(CoreDataError) in
            for store in persistentStores { _ = try finishDeferredWork(of: store) }
        }
    }

    /// Does the deferred work of one store; call it again until the stores' metadata names none.
    public func finishDeferredLightweightMigrationTask() throws {
        try bridgingErrors { () throws(CoreDataError) in
            for store in persistentStores where try finishDeferredWork(of: store) { return }
        }
    }

    private func finishDeferredWork(
        of store: NSPersistentStore
    ) throws(CoreDataError) -> Bool {
        guard let backend = store.backend as? SQLiteStore, let path = store.url?.path,
            store.metadata[NSPersistentStoreDeferredLightweightMigrationOptionKey] != nil
        else { return false }
        let mapping = try MappingInference(source: binding, destination: binding).mapping()
        let metadata = try StoreInspection.read(path).metadata
        let migration = SchemaMigration(
            path: path, source: binding.layout, destination: binding.layout, mapping: mapping,
            sourceHashes: metadata[VersionDigest.hashesKey] as? [String: Data] ?? [:],
            newMetadata: binding.model.storeMetadata(
                forConfigurationName: store.configurationName) ?? [:],
            newModelCache: binding.model.cachedModelData(), trace: trace)
        try migration.run()
        backend.noteDeferredWorkDone()
        return true
    }

    /// Opens or makes what a store is kept in, migrating an older store where its options say so.
    func openBackend(
        type: BuiltInStoreType, configuration: String?, url: URL?, options: [AnyHashable: Any]?
    ) throws(CoreDataError) -> any ObjectStore {
        let factory = StoreFactory(binding: binding, trace: trace)
        let staged = options?[NSPersistentStoreStagedMigrationManagerOptionKey]
        do {
            return try factory.make(
                type: type, configuration: configuration, url: url, options: options)
        } catch {
            guard type == .sqlite, error.code == .storeIncompatibleVersionHash, url != nil,
                staged != nil || StoreMigration.isWanted(options)
            else { throw error }
        }
        let migration = StoreMigration(
            path: url?.path ?? "", destination: binding, configuration: configuration,
            options: options ?? [:], trace: trace)
        if let staged {
            try self.staged(staged, migration).run()
        } else {
            try migration.run()
        }
        return try factory.make(
            type: type, configuration: configuration, url: url, options: options)
    }

    private func staged(
        _ option: Any, _ migration: StoreMigration
    ) throws(CoreDataError) -> StagedMigration {
        guard let manager = option as? NSStagedMigrationManager else {
            throw CoreDataError(
                .invalidArgument,
                "The store option '\(NSPersistentStoreStagedMigrationManagerOptionKey)' is a"
                    + " \(type(of: option)); give an NSStagedMigrationManager.")
        }
        guard StoreMigration.isWanted(migration.options), migration.infers else {
            throw CoreDataError(
                .invalidArgument,
                "A staged migration needs NSMigratePersistentStoresAutomaticallyOption and"
                    + " NSInferMappingModelAutomaticallyOption; set both to true.")
        }
        return StagedMigration(manager: manager, migration: migration)
    }
}
