import CoreData

/// A custom incremental store with rows in memory.
///
/// `@unchecked Sendable` because only the coordinator calls it, one request at a time.
class RowsStore: NSIncrementalStore, @unchecked Sendable {
    private var rows: [String: [String: Any]] = [:]
    private var made = 0

    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: "rows", NSStoreUUIDKey: UUID().uuidString]
    }
    override func execute(
        _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
    ) throws -> Any {
        if let save = request as? NSSaveChangesRequest { return keep(save) }
        guard let fetch = request as? NSFetchRequest<any NSFetchRequestResult>,
            let entity = fetch.entity, let context
        else { throw CocoaError(.featureUnsupported) }
        let ids = rows.keys.sorted().map { newObjectID(for: entity, referenceObject: $0) }
        switch fetch.resultType {
        case .managedObjectIDResultType: return ids
        case .countResultType: return [NSNumber(value: ids.count)]
        default: return ids.map { context.object(with: $0) }
        }
    }
    private func keep(_ save: NSSaveChangesRequest) -> [Any] {
        for object in (save.insertedObjects ?? []).union(save.updatedObjects ?? []) {
            rows["\(referenceObject(for: object.objectID))"] = object.dictionaryWithValues(
                forKeys: Array(object.entity.attributesByName.keys))
        }
        for object in save.deletedObjects ?? [] {
            rows["\(referenceObject(for: object.objectID))"] = nil
        }
        return []
    }
    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        NSIncrementalStoreNode(
            objectID: objectID, withValues: rows["\(referenceObject(for: objectID))"] ?? [:],
            version: 1)
    }
    override func newValue(
        forRelationship relationship: NSRelationshipDescription,
        forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?
    ) throws -> Any { relationship.isToMany ? [] : NSNull() }
    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { object in
            made += 1
            return newObjectID(for: object.entity, referenceObject: "r\(made)")
        }
    }
}

/// A custom store that would read and write a whole file.
///
/// `@unchecked Sendable` because only the coordinator calls it.
class PieceStore: NSAtomicStore, @unchecked Sendable {
    private var made = 0

    override func load() throws {}
    override func save() throws {}
    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: "piece", NSStoreUUIDKey: UUID().uuidString]
    }
    override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        made += 1
        return "p\(made)"
    }
    override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
        node.setValue(managedObject.value(forKey: "title"), forKey: "title")
        return node
    }
    override func updateCacheNode(
        _ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject
    ) {
        node.setValue(managedObject.value(forKey: "title"), forKey: "title")
    }
}
