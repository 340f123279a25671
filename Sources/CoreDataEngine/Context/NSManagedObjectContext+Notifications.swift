import CoreDataModel
import CoreDataStore
import Foundation

/// The context's notifications, under their Swift names.
extension NSManagedObjectContext {
    /// Posted before a save; observers may still change objects.
    public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
    /// Posted after a save, with sets of objects.
    public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
    /// Posted when pending changes are processed, with sets of objects.
    public static let didChangeObjectsNotification =
        Notification.Name.NSManagedObjectContextObjectsDidChange
    /// Posted after a save, with sets of object ids.
    public static let didSaveObjectIDsNotification =
        Notification.Name.NSManagedObjectContextDidSaveObjectIDs
    /// Posted after a merge, by the context into which changes were merged, with sets of object
    /// ids.
    public static let didMergeChangesObjectIDsNotification =
        Notification.Name.NSManagedObjectContextDidMergeChangesObjectIDs

    /// The keys of the notifications' user info.
    public enum NotificationKey: String, Sendable {
        case insertedObjects = "inserted"
        case updatedObjects = "updated"
        case deletedObjects = "deleted"
        case refreshedObjects = "refreshed"
        case invalidatedObjects = "invalidated"
        case invalidatedAllObjects = "invalidatedAll"
        case insertedObjectIDs = "inserted_objectIDs"
        case updatedObjectIDs = "updated_objectIDs"
        case deletedObjectIDs = "deleted_objectIDs"
        case refreshedObjectIDs = "refreshed_objectIDs"
        case invalidatedObjectIDs = "invalidated_objectIDs"
        case queryGeneration = "managedObjectContextQueryGeneration"
    }

    final func postMerged(_ keys: SavedKeys) {
        if keys.isEmpty { return }
        NotificationOnDemand.didMergeObjectIDs.post(from: self, identifiers(ofMerged: keys))
    }

    private func identifiers(ofMerged keys: SavedKeys) -> [AnyHashable: Any] {
        let registry = registry
        // The merge has refreshed the updated objects that are registered here.
        let refreshed = keys.updated.filter { registry.registered($0) != nil }
        let lists = [
            (NSInsertedObjectIDsKey, keys.inserted), (NSUpdatedObjectIDsKey, keys.updated),
            (NSRefreshedObjectIDsKey, refreshed), (NSDeletedObjectIDsKey, keys.deleted),
        ]
        var info: [AnyHashable: Any] = [:]
        for (name, list) in lists where !list.isEmpty {
            info[name] = Set(list.map { registry.identifier(of: $0) })
        }
        return info
    }
}

extension ObjectRegistry {
    /// The id for a key, also if no object with the key is registered.
    func identifier(of key: ObjectKey) -> NSManagedObjectID {
        if let known = registered(key) { return known.objectID }
        let layout = layout(at: Int(key.entity))
        return NSManagedObjectID(
            key: key, entity: binding.description(at: layout.index), layout: layout,
            store: key.isTemporary ? nil : store(for: layout, key: key.key))
    }
}

extension SavedObjects {
    var identifiers: [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [:]
        for (name, list) in [
            (NSInsertedObjectIDsKey, inserted), (NSUpdatedObjectIDsKey, updated),
            (NSDeletedObjectIDsKey, deleted),
        ] where !list.isEmpty {
            info[name] = NotificationInfo.identifiers(of: list)
        }
        return info
    }
}
