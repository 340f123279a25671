import CoreData

/// A custom incremental store. It keeps its rows in a dictionary by name and records its requests.
///
/// `@unchecked Sendable` because one test at a time uses it.
final class ShelfStore: NSIncrementalStore, @unchecked Sendable {
    static let storeType = "Shelf"

    struct Row {
        var entity: String
        var values: [String: Any]
        /// The names of the destination rows by relationship.
        var links: [String: [String]]
        var version: UInt64 = 1
    }

    /// The names of the objects in one save request.
    struct Save: Equatable {
        var inserted: [String]?
        var updated: [String]?
        var deleted: [String]?
        var locked: [String]?
    }

    var rows: [String: Row] = [:]
    var saves: [Save] = []
    var fetches: [NSFetchRequestResultType] = []
    var registered: [String: Int] = [:]
    var reads: [String] = []
    var events: [String] = []

    static func stack(
        _ model: NSManagedObjectModel
    ) throws -> (store: ShelfStore, coordinator: NSPersistentStoreCoordinator) {
        NSPersistentStoreCoordinator.registerStoreClass(self, forStoreType: storeType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let added = try coordinator.addPersistentStore(
            ofType: storeType, configurationName: nil, at: nil)
        guard let store = added as? ShelfStore else { throw CocoaError(.persistentStoreOpen) }
        return (store, coordinator)
    }

    override func loadMetadata() throws {
        let url = url ?? URL(fileURLWithPath: "/dev/null")
        metadata = [
            NSStoreTypeKey: Self.storeType,
            NSStoreUUIDKey: Self.identifierForNewStore(at: url) as? String ?? "",
        ]
    }

    override func didAdd(to coordinator: NSPersistentStoreCoordinator) { events.append("added") }

    override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
        events.append("will remove")
    }

    override func execute(
        _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
    ) throws -> Any {
        if let save = request as? NSSaveChangesRequest { return keep(save) }
        guard let fetch = request as? NSFetchRequest<any NSFetchRequestResult>, let context,
            let entity = fetch.entity
        else { throw CocoaError(.persistentStoreUnsupportedRequestType) }
        fetches.append(fetch.resultType)
        let names = rows.filter { $0.value.entity == entity.name }.keys.sorted()
        let ids = names.map { newObjectID(for: entity, referenceObject: $0) }
        let found = ids.map(context.object(with:)).filter {
            fetch.predicate?.evaluate(with: $0) ?? true
        }
        switch fetch.resultType {
        case .countResultType: return [NSNumber(value: found.count)]
        case .managedObjectIDResultType: return found.map(\.objectID)
        case .dictionaryResultType: return names.map { ["name": $0] as NSDictionary }
        default: return found
        }
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        let name = name(objectID)
        reads.append(name)
        guard let row = rows[name] else { throw CocoaError(.managedObjectReferentialIntegrity) }
        return NSIncrementalStoreNode(
            objectID: objectID, withValues: row.values, version: row.version)
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription,
        forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?
    ) throws -> Any {
        let name = name(objectID)
        reads.append("\(name).\(relationship.name)")
        guard let destination = relationship.destinationEntity else { return NSNull() }
        let ids = (rows[name]?.links[relationship.name] ?? []).map {
            newObjectID(for: destination, referenceObject: $0)
        }
        if relationship.isToMany { return ids }
        return ids.first ?? NSNull()
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map {
            newObjectID(
                for: $0.entity, referenceObject: $0.value(forKey: "name") ?? UUID().uuidString)
        }
    }

    override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
        for id in objectIDs { registered[name(id), default: 0] += 1 }
    }

    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
        for id in objectIDs { registered[name(id), default: 0] -= 1 }
    }

    private func name(_ id: NSManagedObjectID) -> String { "\(referenceObject(for: id))" }

    private func keep(_ save: NSSaveChangesRequest) -> [Any] {
        func names(_ objects: Set<NSManagedObject>?) -> [String]? {
            objects?.map { name($0.objectID) }.sorted()
        }
        saves.append(
            Save(
                inserted: names(save.insertedObjects), updated: names(save.updatedObjects),
                deleted: names(save.deletedObjects), locked: names(save.lockedObjects)))
        for object in (save.insertedObjects ?? []).union(save.updatedObjects ?? []) {
            let name = name(object.objectID)
            rows[name] = Row(
                entity: object.entity.name ?? "", values: attributes(of: object),
                links: links(of: object), version: (rows[name]?.version ?? 0) + 7)
        }
        for object in save.deletedObjects ?? [] { rows[name(object.objectID)] = nil }
        return []
    }

    private func attributes(of object: NSManagedObject) -> [String: Any] {
        object.entity.attributesByName.keys.reduce(into: [:]) { values, key in
            values[key] = object.value(forKey: key)
        }
    }

    private func links(of object: NSManagedObject) -> [String: [String]] {
        object.entity.relationshipsByName.keys.reduce(into: [:]) { links, key in
            links[key] = object.objectIDs(forRelationshipNamed: key).map(name).sorted()
        }
    }
}
