import CoreData

// This class overrides every open member. Each override records the call and calls super.

/// `@unchecked Sendable` because it adds no state.
final class EveryCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    override var managedObjectModel: NSManagedObjectModel {
        note()
        return super.managedObjectModel
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
    override var persistentStores: [NSPersistentStore] {
        note()
        return super.persistentStores
    }
    override func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        note()
        return try super.addPersistentStore(
            ofType: storeType, configurationName: configuration, at: storeURL, options: options)
    }
    override func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        note()
        super.addPersistentStore(with: storeDescription, completionHandler: block)
    }
    override class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String)
    {
        note()
        super.registerStoreClass(storeClass, forStoreType: storeType)
    }
    override class func registerStoreClass(
        _ storeClass: AnyClass?, type: NSPersistentStore.StoreType
    ) {
        note()
        super.registerStoreClass(storeClass, type: type)
    }
    override class var registeredStoreTypes: [String: NSValue] {
        note()
        return super.registeredStoreTypes
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
    override func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        note()
        return super.setURL(url, for: store)
    }
    override func managedObjectID(for string: String) -> NSManagedObjectID? {
        note()
        return super.managedObjectID(for: string)
    }
    override func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        note()
        return super.managedObjectID(forURIRepresentation: url)
    }
    override func perform(_ block: @escaping () -> Void) {
        note()
        super.perform(block)
    }
    override func performAndWait(_ block: () -> Void) {
        note()
        super.performAndWait(block)
    }
    override class func metadataForPersistentStore(ofType storeType: String?, at url: URL) throws
        -> [String: Any]
    {
        note()
        return try super.metadataForPersistentStore(ofType: storeType, at: url)
    }
    override class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]?
    ) throws -> [String: Any] {
        note()
        return try super.metadataForPersistentStore(ofType: storeType, at: url, options: options)
    }
    override class func metadataForPersistentStore(
        type storeType: NSPersistentStore.StoreType, at storeURL: URL, options: [AnyHashable: Any]?
    ) throws -> [String: Any] {
        note()
        return try super.metadataForPersistentStore(type: storeType, at: storeURL, options: options)
    }
    override class func metadataForPersistentStore(with url: URL) throws -> [AnyHashable: Any] {
        note()
        return try super.metadataForPersistentStore(with: url)
    }
    override class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String?, at url: URL
    ) throws {
        note()
        try super.setMetadata(metadata, forPersistentStoreOfType: storeType, at: url)
    }
    override class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]?
    ) throws {
        note()
        try super.setMetadata(
            metadata, forPersistentStoreOfType: storeType, at: url, options: options)
    }
    override class func setMetadata(
        _ metadata: [String: Any]?, type storeType: NSPersistentStore.StoreType, at storeURL: URL,
        options: [AnyHashable: Any]?
    ) throws {
        note()
        try super.setMetadata(metadata, type: storeType, at: storeURL, options: options)
    }
    override func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]?
    ) throws {
        note()
        try super.destroyPersistentStore(at: url, ofType: storeType, options: options)
    }
    override func destroyPersistentStore(
        at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]?
    ) throws {
        note()
        try super.destroyPersistentStore(at: url, type: storeType, options: options)
    }
    override func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]?,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]?,
        ofType storeType: String
    ) throws {
        note()
        try super.replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions,
            withPersistentStoreFrom: sourceURL, sourceOptions: sourceOptions, ofType: storeType)
    }
    override func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]?,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]?,
        type sourceType: NSPersistentStore.StoreType
    ) throws {
        note()
        try super.replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions,
            withPersistentStoreFrom: sourceURL, sourceOptions: sourceOptions, type: sourceType)
    }
    override func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]?,
        withType storeType: String
    ) throws -> NSPersistentStore {
        note()
        return try super.migratePersistentStore(
            store, to: URL, options: options, withType: storeType)
    }
    override func migratePersistentStore(
        _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]?,
        type storeType: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        note()
        return try super.migratePersistentStore(
            store, to: storeURL, options: options, type: storeType)
    }
    override func currentPersistentHistoryToken(fromStores stores: [Any]?)
        -> NSPersistentHistoryToken?
    {
        note()
        return super.currentPersistentHistoryToken(fromStores: stores)
    }
    override func finishDeferredLightweightMigration() throws {
        note()
        try super.finishDeferredLightweightMigration()
    }
    override func finishDeferredLightweightMigrationTask() throws {
        note()
        try super.finishDeferredLightweightMigrationTask()
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
    override func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String?, at storeURL: URL,
        options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        note()
        return try super.addPersistentStore(
            type: type, configuration: configuration, at: storeURL, options: options)
    }
}
