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
        guard let kind = store.kind, let upgrade = kind.upgrade, let url = store.url,
            store.metadata[NSPersistentStoreDeferredLightweightMigrationOptionKey] != nil
        else { return false }
        let location = try kind.location(of: url)
        let binding = try ModelBinding.of(managedObjectModel)
        let mapping = try MappingInference(source: binding, destination: binding).mapping()
        let metadata = try upgrade.inspect(location).metadata
        var change = SchemaChange(
            source: binding.layout, destination: binding.layout, mapping: mapping,
            sourceHashes: metadata[VersionDigest.hashesKey] as? [String: Data] ?? [:],
            newMetadata: binding.model.storeMetadata(
                forConfigurationName: store.configurationName) ?? [:],
            newModelCache: binding.model.cachedModelData())
        if store.entityIndexes.count < binding.layout.entities.count {
            change.configured = (store.entityIndexes, store.entityIndexes)
        }
        try upgrade.finishDeferredWork(of: store.backend, at: location, by: change, trace: trace)
        return true
    }
}
