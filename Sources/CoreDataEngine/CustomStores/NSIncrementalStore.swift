import CoreDataModel
import CoreDataStore
import Foundation

/// A custom store that answers requests one by one, for example from a service or a cache.
///
/// Register a subclass for a type, and add a store of that type to a coordinator. Requests run on
/// the threads of the requesting contexts, possibly several at the same time. A fetch request is an
/// `NSFetchRequest<any NSFetchRequestResult>`. A subclass repeats `@unchecked Sendable` and guards
/// its own state.
open class NSIncrementalStore: NSPersistentStore {
    /// Maps reference objects to keys and keys to reference objects.
    final let references = ReferenceTable()

    /// Creates a store that has not read anything yet; see `NSPersistentStore`.
    public required init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?,
        configurationName name: String?, at url: URL, options: [AnyHashable: Any]? = nil
    ) {
        super.init(
            persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    // MARK: To be overridden

    /// The UUID for a new store at the URL; this class returns a new one.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    /// Reads the metadata: a subclass sets ``NSPersistentStore/metadata``, including type and UUID.
    open override func loadMetadata() throws { throw Self.missing("loadMetadata()") }

    /// Answers a request.
    ///
    /// - Returns: an array. For a fetch it contains objects (created by `context.object(with:)`),
    ///   ids or dictionaries; for a count, one number; for an `NSSaveChangesRequest` it is empty. A
    ///   save request without objects is also sent, and only writes the metadata.
    open func execute(
        _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
    ) throws -> Any {
        throw Self.missing("execute(_:with:)")
    }

    /// Returns the values of an object. Called when its fault fires, and directly before and after
    /// a save. The version of the node shows whether another writer has changed the object.
    ///
    /// - Throws: `NSManagedObjectReferentialIntegrityError` if the object does not exist.
    open func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        throw Self.missing("newValuesForObject(with:with:)")
    }

    /// Returns the value of a relationship. For a to-one relationship this is the destination's id
    /// or `NSNull`. For a to-many relationship it is an array of the members' ids.
    ///
    /// Called for relationships that the object's node does not contain.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription,
        forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?
    ) throws -> Any {
        throw Self.missing("newValue(forRelationship:forObjectWith:with:)")
    }

    /// Returns permanent ids for new objects, in the order of the objects. A subclass creates them
    /// by ``newObjectID(for:referenceObject:)``.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        throw Self.missing("obtainPermanentIDs(for:)")
    }

    /// Called when contexts have registered objects with these ids.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Called when contexts have released objects with these ids, on the thread that released them.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    private static func missing(_ method: String) -> any Error {
        CoreDataError(.unsupported, "\(Self.self) must override \(method).").nsError
    }

    // MARK: Ids

    /// The id of the object that the store identifies by a reference object.
    ///
    /// - Parameter data: a string, a number, a UUID or anything else whose description identifies
    ///   the object. The description follows the `p` in the id's URI.
    open func newObjectID(
        for entity: NSEntityDescription, referenceObject data: Any
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
extension NSIncrementalStore: ProgramStore {
    package final func makeProgramBackend() throws(CoreDataError) -> any ObjectStore {
        guard let coordinator = persistentStoreCoordinator else {
            throw CoreDataError(
                .storeOperation, "The store has no coordinator. Add the store to a coordinator.")
        }
        return IncrementalBackend(
            self, model: coordinator.frozenModel, identifier: storeIdentifier,
            metadata: try PropertyListValue.sendable(metadata ?? [:]))
    }

    package final func text(of key: ObjectKey) -> String? { references.text(key) }

    /// Converts the string of an id to a key. An unknown string gets a new key, because the store
    /// may contain a row with this reference.
    package final func key(of text: String, _ entity: EntityLayout) -> ObjectKey? {
        references.key(named: text, entity)
    }
}

// `@unchecked Sendable` because the table synchronizes itself and no other state is added.
extension NSIncrementalStore: @unchecked Sendable {}

extension NSIncrementalStore: RequestAnswering {
    func answer(
        _ options: FetchRequestOptions, in context: NSManagedObjectContext
    ) throws(CoreDataError) -> [Any] {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.options = options
        if options.entity == nil, let name = options.entityName {
            request.options.entity = context.binding.entity(named: name)
        }
        let found: Any
        do { found = try execute(request, with: context) } catch { throw CoreDataError(error) }
        if let list = found as? [Any] { return list }
        throw CoreDataError(
            .storeOperation,
            "execute(_:with:) of \(Swift.type(of: self)) answered a fetch with a"
                + " \(Swift.type(of: found)); return an array.")
    }

    func permanentKeys(
        for objects: ContiguousArray<NSManagedObject>
    ) throws(CoreDataError) -> [Int64] {
        let ids: [NSManagedObjectID]
        do { ids = try obtainPermanentIDs(for: Array(objects)) } catch {
            throw CoreDataError(error)
        }
        let fits =
            ids.count == objects.count
            && zip(ids, objects).allSatisfy {
                $0.layout === $1.layout && !$0.isTemporaryID && $0.persistentStore === self
            }
        if fits { return ids.map(\.key.key) }
        throw CoreDataError(
            .storeOperation,
            "obtainPermanentIDs(for:) of \(Swift.type(of: self)) must return one id for each object"
                + " in order, of the object's entity, from newObjectID(for:referenceObject:).")
    }

    func noteRegistered(_ keys: [ObjectKey]) {
        managedObjectContextDidRegisterObjects(with: ids(keys))
    }

    func noteUnregistered(_ keys: [ObjectKey]) {
        managedObjectContextDidUnregisterObjects(with: ids(keys))
    }

    private func ids(_ keys: [ObjectKey]) -> [NSManagedObjectID] {
        guard let backend = backend as? IncrementalBackend else { return [] }
        return keys.map(backend.id)
    }
}
