/// Opens or creates the backend of a store for a coordinator.
///
/// Migrations are in a higher layer, so an implementation is passed to the initializer of the
/// coordinator.
package protocol BackendOpening: Sendable {
    func open(
        _ kind: any StoreKind, _ request: StoreRequest,
        for coordinator: NSPersistentStoreCoordinator
    ) throws(CoreDataError) -> any ObjectStore

    /// Completes the work that a lightweight migration of a store has deferred.
    ///
    /// - Returns: whether the store had deferred work.
    func finishDeferredWork(
        of store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator
    ) throws(CoreDataError) -> Bool
}
