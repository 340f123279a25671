import Foundation

/// How a coordinator opens or makes what a store is kept in.
///
/// Given to a coordinator when it is made, because migrations stand above it.
package protocol BackendOpening: Sendable {
    func open(
        type: BuiltInStoreType, configuration: String?, url: URL?, options: [AnyHashable: Any]?,
        for coordinator: NSPersistentStoreCoordinator
    ) throws(CoreDataError) -> any ObjectStore

    /// Does what a lightweight migration of a store has left for later.
    ///
    /// - Returns: whether there was such work.
    func finishDeferredWork(
        of store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator
    ) throws(CoreDataError) -> Bool
}
