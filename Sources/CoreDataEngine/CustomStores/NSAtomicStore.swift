import CoreDataModel
import CoreDataStore
import Foundation

/// A custom store that is read and written as a whole, such as a file in a custom format.
///
/// Register a subclass for a type, and add a store of that type to a coordinator. ``load()`` reads
/// all nodes; later fetches are answered from memory. Each save updates the nodes and calls
/// ``save()``. A subclass repeats `@unchecked Sendable` and guards its own state.
open class NSAtomicStore: NSPersistentStore {
    /// Maps reference objects to keys and keys to reference objects.
    final let references = ReferenceTable()
    final let nodes = CacheNodes()

    /// Creates a store that has not read anything yet; see `NSPersistentStore`.
    public required init(
        persistentStoreCoordinator coordinator: NSPersistentStoreCoordinator?,
        configurationName: String?, at url: URL, options: [AnyHashable: Any]? = nil
    ) {
        super.init(
            persistentStoreCoordinator: coordinator, configurationName: configurationName, at: url,
            options: options)
    }

    // MARK: To be overridden

    /// Reads the store and passes its nodes to ``addCacheNodes(_:)``; called once, when the store
    /// is added.
    open func load() throws { throw Self.missing("load()") }

    /// Writes all of ``cacheNodes()`` and the metadata.
    ///
    /// - Throws: an error that the context's save then throws; the nodes are restored first.
    open func save() throws { throw Self.missing("save()") }

    /// Returns the node for a new object, whose id is already permanent.
    ///
    /// The node may be empty at first: ``updateCacheNode(_:from:)`` is called with it when all new
    /// nodes exist. This class returns empty nodes.
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        NSAtomicStoreCacheNode(objectID: managedObject.objectID)
    }

    /// Updates a node; called for each object that a save inserts or changes.
    ///
    /// This class copies all properties that are not transient.
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        for (name, property) in managedObject.entity.propertiesByName where !property.isTransient {
            if property is NSAttributeDescription {
                node.setValue(managedObject.value(forKey: name), forKey: name)
            } else if let relationship = property as? NSRelationshipDescription {
                let value = managedObject.value(forKey: name)
                node.setValue(linked(value, relationship), forKey: name)
            }
        }
    }

    private func linked(_ value: Any?, _ relationship: NSRelationshipDescription) -> Any? {
        guard relationship.isToMany else {
            return (value as? NSManagedObject).flatMap { cacheNode(for: $0.objectID) }
        }
        let members: [Any] =
            (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
        let found = members.compactMap { ($0 as? NSManagedObject) }.compactMap {
            cacheNode(for: $0.objectID)
        }
        return relationship.isOrdered ? found : Set(found)
    }

    /// Returns the reference by which the store identifies a new object: a string, a number or a
    /// UUID.
    ///
    /// The reference must be unique among the objects of the entity's whole hierarchy. This class
    /// returns a new UUID.
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

    /// Called before nodes leave the store because their objects are deleted.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    private static func missing(_ method: String) -> any Error {
        CoreDataError(.unsupported, "\(Self.self) must override \(method).").nsError
    }

    // MARK: Nodes and ids

    /// All nodes.
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> { Set(nodes.all) }

    /// Adds nodes, in ``load()``. The save adds the nodes of new objects.
    ///
    /// If nodes are added at another time, the log reports it, and fetches do not find their
    /// objects until the store is added again.
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        nodes.add(cacheNodes, toldAs: "\(Swift.type(of: self))")
    }

    /// The node of an object; nil if the store does not contain the object.
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        nodes.node(objectID)
    }

    /// The id of the object that the store identifies by a reference object.
    open func objectID(
        for entity: NSEntityDescription, withReferenceObject data: Any
    ) -> NSManagedObjectID {
        let key = references.key(for: data, entity.layout)
        return NSManagedObjectID(key: key, entity: entity, layout: entity.layout, store: self)
    }

    /// The reference object of an id. Traps for an id of another store.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any {
        orTrap { () throws(CoreDataError) in
            if objectID.persistentStore === self, let found = references.reference(objectID.key) {
                return found
            }
            throw CoreDataError(
                .invalidArgument,
                "referenceObject(for:) was asked for \(objectID), which is not an id of this store."
            )
        }
    }
}

/// Methods that the coordinator calls.
extension NSAtomicStore: ProgramStore {
    package final func makeProgramBackend() throws(CoreDataError) -> any ObjectStore {
        guard let coordinator = persistentStoreCoordinator else {
            throw CoreDataError(
                .storeOperation, "The store has no coordinator. Add the store to a coordinator.")
        }
        do { try nodes.collecting(load) } catch { throw CoreDataError(error) }
        let model = coordinator.frozenModel
        let reader = CacheNodeReader(self, model)
        let rows = try reader.rows(of: nodes.all)
        var values = try PropertyListValue.sendable(metadata ?? [:])
        if values[NSStoreModelVersionHashesKey] == nil {
            let own = entityIndexes.map { model.description(at: $0) }
            values[NSStoreModelVersionHashesKey] = Dictionary(
                uniqueKeysWithValues: own.map { ($0.name ?? "", $0.versionHash) })
        }
        return AtomicBackend(
            self, reader, try MemoryStore(rows, layout: model.layout, metadata: values))
    }

    package final func text(of key: ObjectKey) -> String? { references.text(key) }

    /// Converts the string of an id to a key. An unknown string gets a new key, because the store
    /// may contain an object with this reference.
    package final func key(of text: String, _ entity: EntityLayout) -> ObjectKey? {
        references.key(named: text, entity)
    }
}

extension NSAtomicStore: KeyGiving {
    func permanentKeys(
        for objects: ContiguousArray<NSManagedObject>
    ) throws(CoreDataError) -> [Int64] {
        var keys: [Int64] = []
        var known: Set<Int64> = []
        for object in objects {
            let reference = newReferenceObject(for: object)
            let id = objectID(for: object.entity, withReferenceObject: reference)
            guard id.layout === object.objectID.layout, id.persistentStore === self,
                known.insert(id.key.key).inserted, nodes.node(id) == nil
            else {
                throw CoreDataError(
                    .storeOperation,
                    "newReferenceObject(for:) of \(Swift.type(of: self)) returned \(reference), the"
                        + " reference of another \(object.entity.name ?? ""); return a unique one.")
            }
            keys.append(id.key.key)
        }
        return keys
    }
}

// `@unchecked Sendable` because the table and the nodes synchronize themselves and no other state
// is added.
extension NSAtomicStore: @unchecked Sendable {}
