import CoreData

// This class overrides every open member. Each override records the call and calls super.

/// `@unchecked Sendable` because it adds no state.
final class EveryContext: NSManagedObjectContext, @unchecked Sendable {
    override var concurrencyType: NSManagedObjectContextConcurrencyType {
        note()
        return super.concurrencyType
    }
    override var name: String? {
        get {
            note()
            return super.name
        }
        set {
            note()
            super.name = newValue
        }
    }
    override var userInfo: NSMutableDictionary {
        note()
        return super.userInfo
    }
    override var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get {
            note()
            return super.persistentStoreCoordinator
        }
        set {
            note()
            super.persistentStoreCoordinator = newValue
        }
    }
    override var parent: NSManagedObjectContext? {
        get {
            note()
            return super.parent
        }
        set {
            note()
            super.parent = newValue
        }
    }
    override var mergePolicy: Any {
        get {
            note()
            return super.mergePolicy
        }
        set {
            note()
            super.mergePolicy = newValue
        }
    }
    override var automaticallyMergesChangesFromParent: Bool {
        get {
            note()
            return super.automaticallyMergesChangesFromParent
        }
        set {
            note()
            super.automaticallyMergesChangesFromParent = newValue
        }
    }
    override var propagatesDeletesAtEndOfEvent: Bool {
        get {
            note()
            return super.propagatesDeletesAtEndOfEvent
        }
        set {
            note()
            super.propagatesDeletesAtEndOfEvent = newValue
        }
    }
    override var shouldDeleteInaccessibleFaults: Bool {
        get {
            note()
            return super.shouldDeleteInaccessibleFaults
        }
        set {
            note()
            super.shouldDeleteInaccessibleFaults = newValue
        }
    }
    override var stalenessInterval: TimeInterval {
        get {
            note()
            return super.stalenessInterval
        }
        set {
            note()
            super.stalenessInterval = newValue
        }
    }
    override var retainsRegisteredObjects: Bool {
        get {
            note()
            return super.retainsRegisteredObjects
        }
        set {
            note()
            super.retainsRegisteredObjects = newValue
        }
    }
    override var undoManager: UndoManager? {
        get {
            note()
            return super.undoManager
        }
        set {
            note()
            super.undoManager = newValue
        }
    }
    override var transactionAuthor: String? {
        get {
            note()
            return super.transactionAuthor
        }
        set {
            note()
            super.transactionAuthor = newValue
        }
    }
    override func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID,
        triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        note()
        return super.shouldHandleInaccessibleFault(fault, for: oid, triggeredByProperty: property)
    }
    override func perform(_ block: @escaping () -> Void) {
        note()
        super.perform(block)
    }
    override func performAndWait(_ block: () -> Void) {
        note()
        super.performAndWait(block)
    }
    override var hasChanges: Bool {
        note()
        return super.hasChanges
    }
    override var insertedObjects: Set<NSManagedObject> {
        note()
        return super.insertedObjects
    }
    override var updatedObjects: Set<NSManagedObject> {
        note()
        return super.updatedObjects
    }
    override var deletedObjects: Set<NSManagedObject> {
        note()
        return super.deletedObjects
    }
    override var registeredObjects: Set<NSManagedObject> {
        note()
        return super.registeredObjects
    }
    override func insert(_ object: NSManagedObject) {
        note()
        super.insert(object)
    }
    override func delete(_ object: NSManagedObject) {
        note()
        super.delete(object)
    }
    override func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        note()
        return super.registeredObject(for: objectID)
    }
    override func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        note()
        return super.object(with: objectID)
    }
    override func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        note()
        return try super.existingObject(with: objectID)
    }
    override func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        note()
        try super.obtainPermanentIDs(for: objects)
    }
    override func detectConflicts(for object: NSManagedObject) {
        note()
        super.detectConflicts(for: object)
    }
    override func assign(_ object: Any, to store: NSPersistentStore) {
        note()
        super.assign(object, to: store)
    }
    override func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
        note()
        return try super.fetch(request)
    }
    override func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        note()
        return try super.count(for: request)
    }
    override func save() throws {
        note()
        try super.save()
    }
    override func processPendingChanges() {
        note()
        super.processPendingChanges()
    }
    override func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        note()
        return try super.execute(request)
    }
    override func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        note()
        super.refresh(object, mergeChanges: flag)
    }
    override func refreshAllObjects() {
        note()
        super.refreshAllObjects()
    }
    override func rollback() {
        note()
        super.rollback()
    }
    override func reset() {
        note()
        super.reset()
    }
    override func mergeChanges(fromContextDidSave notification: Notification) {
        note()
        super.mergeChanges(fromContextDidSave: notification)
    }
    override class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
        into contexts: [NSManagedObjectContext]
    ) {
        note()
        super.mergeChanges(fromRemoteContextSave: changeNotificationData, into: contexts)
    }
    override var queryGenerationToken: NSQueryGenerationToken? {
        note()
        return super.queryGenerationToken
    }
    override func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        note()
        try super.setQueryGenerationFrom(generation)
    }
    override func undo() {
        note()
        super.undo()
    }
    override func redo() {
        note()
        super.redo()
    }
    @available(*, deprecated)
    override func lock() {
        note()
        super.lock()
    }
    @available(*, deprecated)
    override func unlock() {
        note()
        super.unlock()
    }
    @available(*, deprecated)
    override func tryLock() -> Bool {
        note()
        return super.tryLock()
    }
    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [String: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        note()
        super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
}
