import CoreDataStore
import Foundation

/// Opens or creates the file of a store, and migrates an older store if its options ask for it.
struct MigratingBackendOpening: BackendOpening {
    func open(
        type: BuiltInStoreType, configuration: String?, url: URL?, options: [AnyHashable: Any]?,
        for coordinator: NSPersistentStoreCoordinator
    ) throws(CoreDataError) -> any ObjectStore {
        let factory = StoreFactory(model: coordinator.frozenModel, trace: coordinator.trace)
        let staged = options?[NSPersistentStoreStagedMigrationManagerOptionKey]
        do {
            return try factory.make(
                type: type, configuration: configuration, url: url, options: options)
        } catch {
            let isOlder =
                error.code == .storeIncompatibleVersionHash
                && (staged != nil || StoreMigration.isWanted(options))
            let isUnfinished = staged != nil && error.info[StoreMetadata.dueKey] != nil
            guard type == .sqlite, url != nil, isOlder || isUnfinished else { throw error }
        }
        let migration = StoreMigration(
            path: url?.path ?? "",
            destination: try ModelBinding.of(coordinator.managedObjectModel),
            configuration: configuration, options: options ?? [:], trace: coordinator.trace)
        if let staged {
            try self.staged(staged, migration).run()
        } else {
            try migration.run()
        }
        return try factory.make(
            type: type, configuration: configuration, url: url, options: options)
    }

    func finishDeferredWork(
        of store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator
    ) throws(CoreDataError) -> Bool {
        try coordinator.finishDeferredWork(of: store)
    }

    private func staged(
        _ option: Any, _ migration: StoreMigration
    ) throws(CoreDataError) -> StagedMigration {
        guard let manager = option as? NSStagedMigrationManager else {
            throw CoreDataError(
                .invalidArgument,
                "The store option '\(NSPersistentStoreStagedMigrationManagerOptionKey)' is a"
                    + " \(type(of: option)); pass an NSStagedMigrationManager.")
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
