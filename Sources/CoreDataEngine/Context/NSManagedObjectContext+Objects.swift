import CoreDataModel
import CoreDataStore
import Foundation

/// The insertion, deletion and look-up of objects.
extension NSManagedObjectContext {
    // MARK: State of the context

    // MARK: Inserting

    /// Registers a new object under a temporary id. Runs no SQL.
    package final func insertObject(_ object: NSManagedObject) throws(CoreDataError) {
        try checkConfined("insert(_:)")
        let registry = try requireRegistry()
        if object.registryReference?.toOpaque() == Unmanaged.passUnretained(registry).toOpaque() {
            try reinsert(object)
            return
        }
        try checkInsertable(object, registry)
        if object.hasHadRow { object.forgetRow() }
        object.key = TemporaryKeys.next()
        if object.knowsStore { object.identifier = nil }
        object.state.formUnion(registry.objectState)
        registry.register(object)
        changes.noteInserted(object)
        if registry.retainsObjects { retain(object) }
        if !registry.passesGate { registry.listener?.noteInserted(object) }
        object.awakeFromInsert()
    }

    private func checkInsertable(
        _ object: NSManagedObject, _ registry: ObjectRegistry
    ) throws(CoreDataError) {
        guard object.registryReference == nil else {
            throw CoreDataError(
                .invalidArgument,
                "An NSManagedObject cannot be in two contexts: \(object) is in another one already."
            )
        }
        guard registry.owns(object.layoutReference) else {
            throw CoreDataError(
                .invalidArgument,
                "The entity '\(object.layout.name)' does not belong to the context's model. Use"
                    + " NSEntityDescription.entity(forEntityName:in:) with this context.")
        }
        if object.layoutReference._withUnsafeGuaranteedRef({ $0.isAbstract }) {
            throw CoreDataError(
                .invalidArgument,
                "The entity '\(object.layout.name)' is abstract. Insert an object of a subentity.")
        }
    }

    private func reinsert(_ object: NSManagedObject) throws(CoreDataError) {
        guard object.state.contains(.deleted) else { return }
        emit(.called("insert(_:) of a deleted object"))
        if object.state.contains(.deletedByMerge) {
            // The row no longer exists. If the object kept it, every later save of the object would
            // conflict.
            changes.drop(object)
            changes.cleanUp()
            registry.dismiss(object)
            return try insertObject(object)
        }
        let wasPropagated = object.state.contains(.propagated)
        changes.noteRestored(object)
        object.recorder?.noteRestored(object)
        if !object.state.contains(.inserted) { changes.noteUpdated(object) }
        if wasPropagated { try object.dropOneSidedLinks() }
    }

    package final func insertObject(
        entityNamed name: String
    ) throws(CoreDataError) -> NSManagedObject {
        let registry = try requireRegistry()
        let entity = try entityDescription(named: name)
        if entity.isAbstract {
            throw CoreDataError(
                .invalidArgument,
                "The entity '\(name)' is abstract. Insert an object of a subentity.")
        }
        try checkConfined("insert")
        let context: NSManagedObjectContext? = self
        return registry.binding.objectClass(at: entity.layout.index)
            .init(entity: entity, insertInto: context)
    }

    package final func entityDescription(
        named name: String
    ) throws(CoreDataError) -> NSEntityDescription {
        let binding = try requireRegistry().binding
        if let found = binding.entity(named: name) { return found }
        let names = binding.layout.entities.map(\.name).joined(separator: ", ")
        throw CoreDataError(
            .invalidArgument,
            "The model has no entity named '\(name)'. Its entities are: \(names).")
    }

    package final func entity(
        forClass objectClass: NSManagedObject.Type
    ) throws(CoreDataError) -> NSEntityDescription {
        if let found = try requireRegistry().entity(forClass: objectClass) { return found }
        throw CoreDataError(
            .invalidArgument,
            "No single entity of the context's model names the class \(objectClass); use"
                + " NSManagedObject(entity:insertInto:) with the entity.")
    }

    // MARK: Deleting

    package final func deleteObject(_ object: NSManagedObject) throws(CoreDataError) {
        try checkConfined("delete(_:)")
        let address = Unmanaged.passUnretained(try requireRegistry()).toOpaque()
        guard object.registryReference?.toOpaque() == address else {
            throw CoreDataError(
                .invalidArgument,
                "An NSManagedObject can only be deleted from its own context; \(object) belongs to"
                    + (object.registry == nil ? " none." : " another."))
        }
        object.prepareForDeletion()
        if object.state.contains(.deleted) { return }
        changes.noteDeleted(object)
        emit(.deleted(object))
    }

    // MARK: Looking up

    package final func fault(
        with objectID: NSManagedObjectID
    ) throws(CoreDataError) -> NSManagedObject {
        try checkConfined("object(with:)")
        let object = try requireRegistry().object(for: objectID.key)
        emit(.tookFault(object))
        return object
    }

    package final func existing(
        _ objectID: NSManagedObjectID
    ) throws(CoreDataError) -> NSManagedObject {
        try checkConfined("existingObject(with:)")
        return try emittingFailure("existingObject(with:)") { () throws(CoreDataError) in
            let object = try known(objectID)
            try object.decodeTransformed()
            return object
        }
    }

    private func known(_ objectID: NSManagedObjectID) throws(CoreDataError) -> NSManagedObject {
        let registry = try requireRegistry()
        if let found = registry.registered(objectID.key), !found.state.contains(.fault) {
            if found.state.contains(.deletedByMerge) { throw Self.missing(objectID) }
            emit(.lookedUp(found))
            return found
        }
        try checkStore(of: objectID)
        guard let found = try newestRow(of: objectID.key, notBefore: oldestAcceptable) else {
            throw Self.missing(objectID)
        }
        let object = registry.object(for: objectID.key)
        if object.state.contains(.fault) {
            object.realise(with: found.row, in: self, source: found.source)
        }
        emit(.lookedUp(object))
        return object
    }

    private func checkStore(of objectID: NSManagedObjectID) throws(CoreDataError) {
        if objectID.isTemporaryID {
            if parent == nil { throw Self.missing(objectID) }
            return
        }
        let store = source.store(for: objectID.layout, key: objectID.key.key)
        guard let store, store.identifier == objectID.storeIdentifier else {
            throw Self.missing(objectID)
        }
    }

    static func missing(_ objectID: NSManagedObjectID) -> CoreDataError {
        CoreDataError(
            .referentialIntegrity, "Attempt to access an object not found in store.",
            objects: [objectID.key], payload: .init(userInfo: ["objectID": objectID]))
    }

    // MARK: Ids

    package final func assignPermanentIDs(
        to objects: [NSManagedObject]
    ) throws(CoreDataError) {
        try checkConfined("obtainPermanentIDs(for:)")
        if let stranger = objects.first(where: { $0.key < 0 && $0.registry !== registry }) {
            throw CoreDataError(
                .invalidArgument,
                "\(stranger) gets no permanent id, because it is not in this context. Insert it,"
                    + " or ask the context that contains it.")
        }
        try emittingFailure("obtainPermanentIDs(for:)") { () throws(CoreDataError) in
            try PermanentIDs.assign(to: ContiguousArray(objects), in: self)
        }
        emit(.obtainedIDs(objects))
    }

    package final func noteDetection(of object: NSManagedObject) throws(CoreDataError) {
        try checkConfined("detectConflicts(for:)")
        guard object.registry === registry else { return }
        try object.prepareAccess()
        changes.noteLocked(object)
        emit(.detectsConflicts(object))
    }

    // MARK: Inaccessible faults

    /// Handles a fault whose row does not exist: marks the object as deleted, or fails.
    final func faultIsInaccessible(
        _ object: NSManagedObject, slot: Int?
    ) throws(CoreDataError) {
        let property = slot.map { object.entity.valueProperties[$0] }
        let handles = shouldHandleInaccessibleFault(
            object, for: object.objectID, triggeredByProperty: property)
        guard handles else {
            throw CoreDataError(
                .inaccessibleObject,
                "CoreData could not fulfill a fault for '\(object.objectID)'",
                objects: [object.objectKey])
        }
        object.take(nil)
        object.state.remove(.fault)
        object.state.insert(.inaccessible)
        if !object.state.contains(.deleted) { changes.noteMergedDeletion(object) }
    }
}

extension NSEntityDescription {
    /// The entity with the name in the context's model, or nil.
    public class func entity(
        forEntityName entityName: String, in context: NSManagedObjectContext
    ) -> NSEntityDescription? {
        context.registry.binding.entity(named: entityName)
    }

    /// Creates an object of the entity's class with the model's default values and inserts it.
    @discardableResult
    public class func insertNewObject(
        forEntityName entityName: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        context.served("insertNewObject(forEntityName:into:)") { () throws(CoreDataError) in
            try context.insertObject(entityNamed: entityName)
        }
    }
}
