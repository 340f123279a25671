/// The inserted objects in a notification's user info: a set.
public let NSInsertedObjectsKey = "inserted"
/// The updated objects in a notification's user info: a set.
public let NSUpdatedObjectsKey = "updated"
/// The deleted objects in a notification's user info: a set.
public let NSDeletedObjectsKey = "deleted"
/// The objects that were refreshed with newer values but not changed: a set.
public let NSRefreshedObjectsKey = "refreshed"
/// The objects that can no longer be used: a set.
public let NSInvalidatedObjectsKey = "invalidated"
/// Present if all of a context's objects can no longer be used.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// The stores that were added to a coordinator: an array.
public let NSAddedPersistentStoresKey = "added"
/// The stores that were removed from a coordinator: an array.
public let NSRemovedPersistentStoresKey = "removed"
/// The query generation token that a pinned context uses after its save.
public let NSManagedObjectContextQueryGenerationKey = "managedObjectContextQueryGeneration"
/// The store whose identity changed: an array of the old store and the new one. If a migration
/// changed ids, pairs of an object's old and new id follow.
public let NSUUIDChangedPersistentStoresKey = "uuidChanged"
/// The history token of a save's transaction, in stores that track their history.
package let historyChangeTokenKey = "newChangeToken"
/// The URL of the store that another coordinator has changed.
public let NSPersistentStoreURLKey = "storeURL"
/// The ids of inserted objects in a notification's user info: a set.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// The ids of updated objects in a notification's user info: a set.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// The ids of deleted objects in a notification's user info: a set.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// The ids of refreshed objects in a notification's user info: a set.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// The ids of objects that can no longer be used, in a notification's user info: a set.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"
