import CoreDataModel
import CoreDataStore
import Foundation

/// Merges changes that no context of this process has saved.
extension NSManagedObjectContext {
    /// - Throws: `invalidArgument` for a value that is not a collection of ids; the stores'
    ///   failures.
    package class func mergeRemote(
        _ data: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) throws(CoreDataError) {
        var merges: [(context: NSManagedObjectContext, keys: SavedKeys)] = []
        var caches: [ObjectIdentifier: NSPersistentStoreCoordinator] = [:]
        for context in contexts.sorted(by: { $0.depth < $1.depth }) {
            guard let coordinator = context.persistentStoreCoordinator else { continue }
            let keys = try RemoteChanges(data: data, coordinator: coordinator).keys()
            if caches.updateValue(coordinator, forKey: ObjectIdentifier(coordinator)) == nil {
                coordinator.rowCache.invalidate(keys.updated + keys.deleted)
            }
            merges.append((context, keys))
        }
        let asker = current?.listener == nil ? nil : current
        asker?.emit(.mergesByIDs(into: merges.map(\.context)))
        for (context, keys) in merges {
            try context.queue.runAndWait { () throws(CoreDataError) in
                try context.merge(keys)
                if asker == nil { context.emit(.merged(from: nil, isAutomatic: false, keys)) }
            }
        }
    }

    package final var depth: Int { (parent?.depth ?? -1) + 1 }
}

/// Reads the ids from a dictionary of changes.
private struct RemoteChanges {
    let data: [AnyHashable: Any]
    let coordinator: NSPersistentStoreCoordinator

    func keys() throws(CoreDataError) -> SavedKeys {
        SavedKeys(
            inserted: try keys(NSInsertedObjectsKey, NSInsertedObjectIDsKey),
            updated: try keys(NSUpdatedObjectsKey, NSUpdatedObjectIDsKey)
                + keys(NSRefreshedObjectsKey, NSRefreshedObjectIDsKey),
            deleted: try keys(NSDeletedObjectsKey, NSDeletedObjectIDsKey))
    }

    private func keys(_ names: String...) throws(CoreDataError) -> [ObjectKey] {
        var found: Set<ObjectKey> = []
        for name in names {
            guard let value = data[name] else { continue }
            for element in try elements(value, name) {
                if let key = try key(element, name) { found.insert(key) }
            }
        }
        return found.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
    }

    private func elements(_ value: Any, _ name: String) throws(CoreDataError) -> [Any] {
        switch value {
        case let list as [Any]: return list
        case let set as Set<AnyHashable>: return set.map(\.base)
        case let set as NSSet: return set.allObjects
        case let list as NSArray: return list.map { $0 }
        default:
            throw CoreDataError(
                .invalidArgument,
                "'\(name)' holds a \(type(of: value)). Pass an array or a set of object ids.")
        }
    }

    /// The key of an id. Nil if its store does not belong to the coordinator.
    private func key(_ element: Any, _ name: String) throws(CoreDataError) -> ObjectKey? {
        switch element {
        case let id as NSManagedObjectID:
            return coordinator.ownKey(of: id)
        case let object as NSManagedObject: return object.objectKey
        case let url as URL: return coordinator.managedObjectID(forURIRepresentation: url)?.key
        default:
            throw CoreDataError(
                .invalidArgument,
                "'\(name)' holds a \(type(of: element)). Pass NSManagedObjectIDs or their URLs.")
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// This coordinator's key for an id. Nil if the id's store does not belong to it.
    func ownKey(of id: NSManagedObjectID) -> ObjectKey? {
        if id.isTemporaryID { return id.key }
        return managedObjectID(forURIRepresentation: id.uriRepresentation())?.key
    }
}
