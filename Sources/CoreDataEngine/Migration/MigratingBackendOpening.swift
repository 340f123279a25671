import CoreDataStore
import Foundation

/// Opens or creates the file of a store. Migrates an older store if its options request it.
struct MigratingBackendOpening: BackendOpening {
    func open(
        _ kind: any StoreKind, _ request: StoreRequest,
        for coordinator: NSPersistentStoreCoordinator
    ) throws(CoreDataError) -> any ObjectStore {
        let staged = request.options[NSPersistentStoreStagedMigrationManagerOptionKey]
        let upgrade: any StoreUpgrade
        do {
            return try kind.opening(request)
        } catch {
            let isOlder =
                error.code == .storeIncompatibleVersionHash
                && (staged != nil || StoreMigration.isWanted(request.options))
            let isUnfinished = staged != nil && error.info[StoreMetadata.dueKey] != nil
            guard let found = kind.upgrade, isOlder || isUnfinished else { throw error }
            upgrade = found
        }
        let migration = StoreMigration(
            type: kind.type, upgrade: upgrade, location: request.location,
            destination: try ModelBinding.of(coordinator.managedObjectModel),
            configuration: request.configuration, options: request.options, trace: request.trace)
        if let staged {
            try self.staged(staged, migration).run()
        } else {
            try migration.run()
        }
        return try kind.opening(request)
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
