import CoreData

/// Records the names of the members that are called.
///
/// `@unchecked Sendable` because only the thread of the test reads and writes the notes.
final class NotedContext: NSManagedObjectContext, @unchecked Sendable {
    var calls: [String] = []

    func note(_ call: String = #function) { calls.append(call) }

    override var name: String? {
        get { super.name }
        set {
            note()
            super.name = newValue
        }
    }
    override var parent: NSManagedObjectContext? {
        get { super.parent }
        set {
            note()
            super.parent = newValue
        }
    }
    override var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { super.persistentStoreCoordinator }
        set {
            note()
            super.persistentStoreCoordinator = newValue
        }
    }
    override var mergePolicy: Any {
        get { super.mergePolicy }
        set {
            note()
            super.mergePolicy = newValue
        }
    }
    override var undoManager: UndoManager? {
        get { super.undoManager }
        set {
            note()
            super.undoManager = newValue
        }
    }
    override var concurrencyType: NSManagedObjectContextConcurrencyType { super.concurrencyType }
    override var userInfo: NSMutableDictionary {
        note()
        return super.userInfo
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
    override var queryGenerationToken: NSQueryGenerationToken? {
        note()
        return super.queryGenerationToken
    }

    override func perform(_ block: @escaping () -> Void) {
        note()
        super.perform(block)
    }
    override func performAndWait(_ block: () -> Void) {
        note()
        super.performAndWait(block)
    }
    override func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
        note()
        return try super.fetch(request)
    }
    override func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        note()
        return try super.count(for: request)
    }
    override func execute(
        _ request: NSPersistentStoreRequest
    ) throws -> NSPersistentStoreResult {
        note()
        return try super.execute(request)
    }
    override func save() throws {
        note()
        try super.save()
    }
    override func processPendingChanges() {
        note()
        super.processPendingChanges()
    }
    override func insert(_ object: NSManagedObject) {
        note()
        super.insert(object)
    }
    override func delete(_ object: NSManagedObject) {
        note()
        super.delete(object)
    }
    override func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        note()
        return super.object(with: objectID)
    }
    override func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        note()
        return super.registeredObject(for: objectID)
    }
    override func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        note()
        return try super.existingObject(with: objectID)
    }
    override func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        note()
        try super.obtainPermanentIDs(for: objects)
    }
    override func assign(_ object: Any, to store: NSPersistentStore) {
        note()
        super.assign(object, to: store)
    }
    override func detectConflicts(for object: NSManagedObject) {
        note()
        super.detectConflicts(for: object)
    }
    override func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        note()
        super.refresh(object, mergeChanges: flag)
    }
    override func refreshAllObjects() {
        note()
        super.refreshAllObjects()
    }
    override func mergeChanges(fromContextDidSave notification: Notification) {
        note()
        super.mergeChanges(fromContextDidSave: notification)
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
    override func rollback() {
        note()
        super.rollback()
    }
    override func reset() {
        note()
        super.reset()
    }
}

/// Its saves fail.
///
/// `@unchecked Sendable` because it adds no state.
final class FailingContext: NSManagedObjectContext, @unchecked Sendable {
    struct Failure: Error {}

    override func save() throws { throw Failure() }
}

/// Its fetches return objects that the test selects.
///
/// `@unchecked Sendable` because only the thread of the test uses it.
final class CannedContext: NSManagedObjectContext, @unchecked Sendable {
    var canned: [Any] = []

    override func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
        canned
    }
    override func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        canned.count
    }
}
