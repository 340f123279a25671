import CoreDataModel
import CoreDataStore
import Foundation

extension NSPersistentStoreCoordinator {
    /// Does the deferred work of a store.
    ///
    /// - Returns: whether the store had deferred work.
    func finishDeferredWork(
        of store: NSPersistentStore
    ) throws(CoreDataError) -> Bool {
        guard let backend = store.backend as? SQLiteStore, let path = store.url?.path,
            store.metadata[NSPersistentStoreDeferredLightweightMigrationOptionKey] != nil
        else { return false }
        let binding = try ModelBinding.of(managedObjectModel)
        let mapping = try MappingInference(source: binding, destination: binding).mapping()
        let metadata = try StoreInspection.read(path).metadata
        var migration = SchemaMigration(
            path: path, source: binding.layout, destination: binding.layout, mapping: mapping,
            sourceHashes: metadata[VersionDigest.hashesKey] as? [String: Data] ?? [:],
            newMetadata: binding.model.storeMetadata(
                forConfigurationName: store.configurationName) ?? [:],
            newModelCache: binding.model.cachedModelData(), trace: trace)
        if store.entityIndexes.count < binding.layout.entities.count {
            migration.configured = (store.entityIndexes, store.entityIndexes)
        }
        try migration.run()
        backend.noteDeferredWorkDone()
        return true
    }
}
