import CoreDataModel
import CoreDataStore
import Foundation

/// Assigns new objects to one of several stores.
extension NSManagedObjectContext {

    package final func assignObject(
        _ object: Any, to store: NSPersistentStore
    ) throws(CoreDataError) {
        try checkConfined("assign(_:to:)")
        guard let object = object as? NSManagedObject, object.registry === (try requireRegistry())
        else {
            throw CoreDataError(
                .invalidArgument, "assign(_:to:) takes a managed object of this context.")
        }
        guard object.key < 0 else {
            if source.store(for: object.layout, key: object.key) === store { return }
            throw CoreDataError(
                .invalidArgument,
                "Can't reassign an object to a different store once it has been saved.")
        }
        guard source.stores(of: object.layout).contains(where: { $0 === store }) else {
            throw CoreDataError(
                .invalidArgument,
                "Can't assign an object to a store that does not contain the object's entity: the"
                    + " store '\(store.identifier ?? "")' does not keep '\(object.layout.name)'.")
        }
        assignedStores[object.key] = store
    }
}
