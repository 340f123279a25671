import CoreData

/// Records calls of its methods for access by key.
final class NotedObject: NSManagedObject {
    var calls: [String] = []

    func note(_ call: String = #function) { calls.append(call) }

    override var description: String { "noted: " + super.description }

    override func value(forKey key: String) -> Any? {
        note()
        return super.value(forKey: key)
    }
    override func setValue(_ value: Any?, forKey key: String) {
        note()
        super.setValue(value, forKey: key)
    }
    override func primitiveValue(forKey key: String) -> Any? {
        note()
        return super.primitiveValue(forKey: key)
    }
    override func setPrimitiveValue(_ value: Any?, forKey key: String) {
        note()
        super.setPrimitiveValue(value, forKey: key)
    }
    override func willAccessValue(forKey key: String?) {
        note()
        super.willAccessValue(forKey: key)
    }
    override func didAccessValue(forKey key: String?) {
        note()
        super.didAccessValue(forKey: key)
    }
    override func willChangeValue(forKey key: String) {
        note()
        super.willChangeValue(forKey: key)
    }
    override func didChangeValue(forKey key: String) {
        note()
        super.didChangeValue(forKey: key)
    }
    override func mutableSetValue(forKey key: String) -> NSMutableSet {
        note()
        return super.mutableSetValue(forKey: key)
    }
    override func hasFault(forRelationshipNamed key: String) -> Bool {
        note()
        return super.hasFault(forRelationshipNamed: key)
    }
    override func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        note()
        return super.objectIDs(forRelationshipNamed: key)
    }
    override func changedValues() -> [String: Any] {
        note()
        return super.changedValues()
    }
    override func changedValuesForCurrentEvent() -> [String: Any] {
        note()
        return super.changedValuesForCurrentEvent()
    }
    override func committedValues(forKeys keys: [String]?) -> [String: Any] {
        note()
        return super.committedValues(forKeys: keys)
    }
    override var hasPersistentChangedValues: Bool {
        note()
        return super.hasPersistentChangedValues
    }
    override func validateValue(_ value: inout Any?, forKey key: String) throws {
        note()
        try super.validateValue(&value, forKey: key)
    }
    override func awakeFromInsert() {
        super.awakeFromInsert()
        note()
    }
    override func awakeFromFetch() {
        super.awakeFromFetch()
        note()
    }
    override func willSave() {
        super.willSave()
        note()
    }
    override func didSave() {
        super.didSave()
        note()
    }
    override func prepareForDeletion() {
        super.prepareForDeletion()
        note()
    }
    override func validateForInsert() throws {
        note()
        try super.validateForInsert()
    }
    override func validateForUpdate() throws {
        note()
        try super.validateForUpdate()
    }
    override func validateForDelete() throws {
        note()
        try super.validateForDelete()
    }
}

/// `@unchecked Sendable` because only the thread of the test reads and writes the notes.
final class NotedCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    var calls: [String] = []

    func note(_ call: String = #function) { calls.append(call) }

    override func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        note()
        return try super.addPersistentStore(
            ofType: storeType, configurationName: configuration, at: storeURL, options: options)
    }
    override func remove(_ store: NSPersistentStore) throws {
        note()
        try super.remove(store)
    }
    override func persistentStore(for URL: URL) -> NSPersistentStore? {
        note()
        return super.persistentStore(for: URL)
    }
    override func url(for store: NSPersistentStore) -> URL {
        note()
        return super.url(for: store)
    }
    override func metadata(for store: NSPersistentStore) -> [String: Any] {
        note()
        return super.metadata(for: store)
    }
    override func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        note()
        super.setMetadata(metadata, for: store)
    }
    override func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        note()
        return super.managedObjectID(forURIRepresentation: url)
    }
    override func perform(_ block: @escaping () -> Void) {
        note()
        super.perform(block)
    }
}

/// Its stores are in another folder. Its background contexts have names.
///
/// `@unchecked Sendable` because it adds no state.
final class NotedContainer: NSPersistentContainer, @unchecked Sendable {
    override class func defaultDirectoryURL() -> URL { FileManager.default.temporaryDirectory }

    override var name: String { "noted " + super.name }
    override var managedObjectModel: NSManagedObjectModel { super.managedObjectModel }
    override var persistentStoreCoordinator: NSPersistentStoreCoordinator {
        let coordinator = super.persistentStoreCoordinator
        coordinator.name = "noted"
        return coordinator
    }
    override var viewContext: NSManagedObjectContext {
        let context = super.viewContext
        context.name = "view"
        return context
    }

    override func newBackgroundContext() -> NSManagedObjectContext {
        let context = super.newBackgroundContext()
        context.name = "background"
        return context
    }
}

final class NotedController: NSFetchedResultsController<NotedObject> {
    var fetches = 0

    override func performFetch() throws {
        fetches += 1
        try super.performFetch()
    }
}
