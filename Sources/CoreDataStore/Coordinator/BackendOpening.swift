import Foundation

/// How a coordinator opens or makes what a store is kept in.
///
/// Given to a coordinator when it is made, because migrations stand above it.
package protocol BackendOpening: Sendable {
    func open(
        type: BuiltInStoreType, configuration: String?, url: URL?, options: [AnyHashable: Any]?,
        for coordinator: NSPersistentStoreCoordinator
    ) throws(CoreDataError) -> any ObjectStore
}
