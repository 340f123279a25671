import CoreData

// These classes override every open member. Each override records the call and calls super.

/// `@unchecked Sendable` because it adds no state.
final class EveryIncrementalStore: RowsStore, @unchecked Sendable {
    override class func identifierForNewStore(at storeURL: URL) -> Any {
        note()
        return super.identifierForNewStore(at: storeURL)
    }
    override func loadMetadata() throws {
        note()
        try super.loadMetadata()
    }
    override func execute(
        _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
    ) throws -> Any {
        note()
        return try super.execute(request, with: context)
    }
    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        note()
        return try super.newValuesForObject(with: objectID, with: context)
    }
    override func newValue(
        forRelationship relationship: NSRelationshipDescription,
        forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?
    ) throws -> Any {
        note()
        return try super.newValue(
            forRelationship: relationship, forObjectWith: objectID, with: context)
    }
    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        note()
        return try super.obtainPermanentIDs(for: array)
    }
    override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
        note()
        super.managedObjectContextDidRegisterObjects(with: objectIDs)
    }
    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
        note()
        super.managedObjectContextDidUnregisterObjects(with: objectIDs)
    }
    override func newObjectID(for entity: NSEntityDescription, referenceObject data: Any)
        -> NSManagedObjectID
    {
        note()
        return super.newObjectID(for: entity, referenceObject: data)
    }
    override func referenceObject(for objectID: NSManagedObjectID) -> Any {
        note()
        return super.referenceObject(for: objectID)
    }
    override var type: String {
        note()
        return super.type
    }
    override var configurationName: String {
        note()
        return super.configurationName
    }
    override var url: URL? {
        get {
            note()
            return super.url
        }
        set {
            note()
            super.url = newValue
        }
    }
    override var options: [AnyHashable: Any]? {
        note()
        return super.options
    }
    override var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        note()
        return super.persistentStoreCoordinator
    }
    override var identifier: String! {
        note()
        return super.identifier
    }
    override var metadata: [String: Any]! {
        get {
            note()
            return super.metadata
        }
        set {
            note()
            super.metadata = newValue
        }
    }
    override var isReadOnly: Bool {
        get {
            note()
            return super.isReadOnly
        }
        set {
            note()
            super.isReadOnly = newValue
        }
    }
    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        note()
        return try super.metadataForPersistentStore(with: url)
    }
    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL)
        throws
    {
        note()
        try super.setMetadata(metadata, forPersistentStoreAt: url)
    }
    override class func migrationManagerClass() -> AnyClass {
        note()
        return super.migrationManagerClass()
    }
    override func didAdd(to coordinator: NSPersistentStoreCoordinator) {
        note()
        super.didAdd(to: coordinator)
    }
    override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
        note()
        super.willRemove(from: coordinator)
    }
}

/// `@unchecked Sendable` because it adds no state.
final class EveryAtomicStore: PieceStore, @unchecked Sendable {
    override func load() throws {
        note()
        try super.load()
    }
    override func save() throws {
        note()
        try super.save()
    }
    override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        note()
        return super.newCacheNode(for: managedObject)
    }
    override func updateCacheNode(
        _ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject
    ) {
        note()
        super.updateCacheNode(node, from: managedObject)
    }
    override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        note()
        return super.newReferenceObject(for: managedObject)
    }
    override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        note()
        super.willRemoveCacheNodes(cacheNodes)
    }
    override func cacheNodes() -> Set<NSAtomicStoreCacheNode> {
        note()
        return super.cacheNodes()
    }
    override func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        note()
        super.addCacheNodes(cacheNodes)
    }
    override func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        note()
        return super.cacheNode(for: objectID)
    }
    override func objectID(for entity: NSEntityDescription, withReferenceObject data: Any)
        -> NSManagedObjectID
    {
        note()
        return super.objectID(for: entity, withReferenceObject: data)
    }
    override func referenceObject(for objectID: NSManagedObjectID) -> Any {
        note()
        return super.referenceObject(for: objectID)
    }
    override var type: String {
        note()
        return super.type
    }
    override var configurationName: String {
        note()
        return super.configurationName
    }
    override var url: URL? {
        get {
            note()
            return super.url
        }
        set {
            note()
            super.url = newValue
        }
    }
    override var options: [AnyHashable: Any]? {
        note()
        return super.options
    }
    override var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        note()
        return super.persistentStoreCoordinator
    }
    override var identifier: String! {
        note()
        return super.identifier
    }
    override var metadata: [String: Any]! {
        get {
            note()
            return super.metadata
        }
        set {
            note()
            super.metadata = newValue
        }
    }
    override var isReadOnly: Bool {
        get {
            note()
            return super.isReadOnly
        }
        set {
            note()
            super.isReadOnly = newValue
        }
    }
    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        note()
        return try super.metadataForPersistentStore(with: url)
    }
    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL)
        throws
    {
        note()
        try super.setMetadata(metadata, forPersistentStoreAt: url)
    }
    override class func migrationManagerClass() -> AnyClass {
        note()
        return super.migrationManagerClass()
    }
    override func loadMetadata() throws {
        note()
        try super.loadMetadata()
    }
    override func didAdd(to coordinator: NSPersistentStoreCoordinator) {
        note()
        super.didAdd(to: coordinator)
    }
    override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
        note()
        super.willRemove(from: coordinator)
    }
}
