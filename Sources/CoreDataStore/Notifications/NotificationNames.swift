import Foundation

extension NSNotification.Name {
    /// A context is about to save; the notification's object is the context.
    public static let NSManagedObjectContextWillSave = NSNotification.Name(
        "NSManagingContextWillSaveChangesNotification")
    /// A context has saved; the user info holds sets of objects.
    public static let NSManagedObjectContextDidSave = NotificationOnDemand.didSave.mention()
    /// A context has processed its pending changes; the user info holds sets of objects.
    public static let NSManagedObjectContextObjectsDidChange =
        NotificationOnDemand.objectsDidChange.mention()
    /// A context has saved; the user info holds sets of ids, which any thread may keep.
    public static let NSManagedObjectContextDidSaveObjectIDs =
        NotificationOnDemand.didSaveObjectIDs.mention()
    /// A context has merged another's save; the user info holds sets of ids.
    public static let NSManagedObjectContextDidMergeChangesObjectIDs =
        NotificationOnDemand.didMergeObjectIDs.mention()
    /// A coordinator's stores are about to change, because an iCloud account has changed. Core Data
    /// posts this only for stores in iCloud, so it is never posted here.
    public static let NSPersistentStoreCoordinatorStoresWillChange = NSNotification.Name(
        "NSPersistentStoreCoordinatorStoresWillChangeNotification")
    /// A coordinator's stores have changed; the notification's object is the coordinator.
    public static let NSPersistentStoreCoordinatorStoresDidChange = NSNotification.Name(
        "NSPersistentStoreCoordinatorStoresDidChangeNotification")
    /// A store is about to be removed; the notification's object is the store.
    public static let NSPersistentStoreCoordinatorWillRemoveStore = NSNotification.Name(
        "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
}
