import CoreDataModel
import CoreDataStore
import Foundation

/// Prepares the constants of a predicate for stores, which use keys in place of objects. Used for
/// fetches and batch updates.
struct PredicateConstants {
    private let storeIdentifiers: [String]

    init(_ context: NSManagedObjectContext) {
        let stores = context.persistentStoreCoordinator?.persistentStores ?? []
        storeIdentifiers = stores.map { $0.identifier }
    }

    /// Replaces objects by their ids, and ids of other stores by a value that matches no row.
    func storable(_ constant: Any) -> Any {
        switch constant {
        case let id as NSManagedObjectID: return known(id)
        case let object as NSManagedObject: return known(object.objectID)
        case let objects as Set<NSManagedObject>: return objects.map { known($0.objectID) }
        case let objects as NSSet: return objects.allObjects.map { storable($0) }
        case let objects as NSOrderedSet: return objects.array.map { storable($0) }
        case let objects as [Any]: return objects.map { storable($0) }
        default: return constant
        }
    }

    private func known(_ id: NSManagedObjectID) -> Any {
        if id.isTemporaryID || storeIdentifiers.contains(id.storeIdentifier) { return id }
        return ObjectKey(entity: -1, key: 0)
    }
}
