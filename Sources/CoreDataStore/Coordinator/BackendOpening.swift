/// Opens or creates the backend of a store for a coordinator.
///
/// The object is passed to the coordinator when the coordinator is created, because migrations are
/// in a higher layer.
package protocol BackendOpening: Sendable {
    func open(
        _ kind: any StoreKind, _ request: StoreRequest,
        for coordinator: NSPersistentStoreCoordinator
    ) throws(CoreDataError) -> any ObjectStore

    /// Does the work that a lightweight migration of a store has deferred.
    ///
    /// - Returns: whether the store had deferred work.
    func finishDeferredWork(
        of store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator
    ) throws(CoreDataError) -> Bool
}
