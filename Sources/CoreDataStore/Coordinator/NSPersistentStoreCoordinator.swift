import CoreDataModel
import CoreDataTrace
import Foundation
import Synchronization

/// Mediates between contexts and stores: forwards requests, shares rows, and serialises saves.
///
/// A coordinator may be used from any thread. Saves of its contexts are serialised from the
/// conflict check to the row cache's update; reads run in parallel.
open class NSPersistentStoreCoordinator: NSObject {
    package final let frozenModel: FrozenModel
    package final let opening: any BackendOpening
    package final let trace = Trace()
    package final let rowCache: RowCache
    /// The points at which operations of this coordinator and its contexts can be made to fail.
    package final let faultPoints = FaultPoints()
    private let stores = Mutex(Stores())
    private let observers = Mutex(Observers())
    /// Held while a save checks versions, writes, and updates the row cache. Never held while
    /// callbacks run.
    final let saveLock = NSRecursiveLock()
    package final let queue: any ConfinementQueue
    private let displayName = Mutex<String?>(nil)
    /// Called if a fault cannot be fired.
    final let faultFailures = Mutex<(@Sendable (FaultFailure) -> FaultFailureResponse)?>(nil)

    private struct Stores {
        var all: [NSPersistentStore] = []
        /// The stores of each entity, in the order in which they were added. The index is the
        /// entity's layout index.
        var byEntity: [[NSPersistentStore]] = []
    }

    private struct Observers {
        /// Contexts that merge automatically.
        var mergers = WeakObservers()
        var roots = WeakObservers()
        var onAttach: [@Sendable (AnyObject) -> Void] = []
        /// Closures that are called when the program calls the coordinator. Calls by the engine
        /// itself are not reported.
        var onCall: [@Sendable (StaticString) -> Void] = []
    }

    /// Creates a coordinator and freezes the model.
    ///
    /// If the model is not valid, the log contains the error, and adding a store throws it.
    public init(managedObjectModel model: NSManagedObjectModel) {
        let parts = CoordinatorParts.made(for: model)
        frozenModel = parts.model
        opening = parts.opening
        rowCache = RowCache(layout: parts.model.layout)
        queue = Self.makeQueue(trace)
        super.init()
        start()
    }

    /// Creates a coordinator of a model without entities.
    public override convenience init() {
        self.init(managedObjectModel: NSManagedObjectModel())
    }

    private func start() {
        stores.withLock {
            $0.byEntity = Array(repeating: [], count: frozenModel.layout.entities.count)
        }
        if let log = SQLLog.process { trace.add(log) }
        ConfinementScope.current?.adopt(self)
        CoordinatorWatch.noteMade(self)
    }

    private static func makeQueue(_ trace: Trace) -> any ConfinementQueue {
        ConfinementScope.current?.makeQueue(.coordinator)
            ?? DispatchConfinementQueue(label: "coordinator", trace: trace)
    }

    /// The frozen model.
    open var managedObjectModel: NSManagedObjectModel { frozenModel.model }

    /// A name for logs.
    open var name: String? {
        get { displayName.withLock { $0 } }
        set { displayName.withLock { $0 = newValue } }
    }

    /// The stores in the order in which they were added.
    open var persistentStores: [NSPersistentStore] { stores.withLock { $0.all } }

    // MARK: Stores

    /// Reports a change of this coordinator's stores, before the change.
    final func noteStores(_ change: @autoclosure () -> String) {
        if trace.isOn { trace.record(.stores(change())) }
    }

    package final func register(_ store: NSPersistentStore) throws(CoreDataError) {
        noteStores("adds \(store.place)")
        try stores.withLock { stores throws(CoreDataError) in
            assert(!stores.all.contains { $0 === store }, "the store was added twice")
            if stores.all.contains(where: { $0.storeIdentifier == store.storeIdentifier }) {
                throw CoreDataError(
                    .storeOpen,
                    "The store '\(store.url?.path ?? store.storeIdentifier)' is already in this"
                        + " coordinator: two stores cannot have the same UUID.")
            }
            let sharing = stores.all.filter {
                !$0.entityIndexes.isDisjoint(with: store.entityIndexes)
            }
            if !sharing.isEmpty { store.tag = try freeTag(for: store, beside: sharing) }
            stores.all.append(store)
            for index in store.entityIndexes { stores.byEntity[index].append(store) }
        }
        if store.tag != .none { rowCache.noteStores() }
    }

    /// Returns a tag that no other store with the same entities uses.
    private func freeTag(
        for store: NSPersistentStore, beside sharing: [NSPersistentStore]
    ) throws(CoreDataError) -> StoreTag {
        if let custom = (sharing + [store]).first(where: \.isCustom) {
            throw CoreDataError(
                .unsupported,
                "The custom store '\(custom.identifier ?? "")' would share entities with another"
                    + " store of this coordinator. Use configurations without common"
                    + " entities.")
        }
        let taken = sharing.map(\.tag)
        let free = (0..<StoreTag.count).lazy.map { StoreTag(number: $0) }
            .first { !taken.contains($0) }
        if let free { return free }
        throw CoreDataError(
            .unsupported, "A coordinator can have at most \(StoreTag.count) stores of one entity.")
    }

    package final func unregister(_ store: NSPersistentStore) -> Bool {
        defer { rowCache.noteStores() }
        return stores.withLock { stores in
            guard let index = stores.all.firstIndex(where: { $0 === store }) else { return false }
            stores.all.remove(at: index)
            for entity in store.entityIndexes {
                stores.byEntity[entity].removeAll { $0 === store }
            }
            return true
        }
    }

    /// The stores that keep the entity, in the order in which they were added.
    package final func stores(of entity: EntityLayout) -> [NSPersistentStore] {
        stores.withLock { $0.byEntity[entity.index] }
    }

    /// The store that contains the entity's row with this key. For a new object, the first writable
    /// store.
    package final func storeIfAny(for entity: EntityLayout, key: Int64) -> NSPersistentStore? {
        stores.withLock { stores in
            let keeping = stores.byEntity[entity.index]
            if keeping.count < 2 { return keeping.first }
            if key < 0 { return keeping.first { !$0.isReadOnly } ?? keeping.first }
            let tag = StoreTag(of: key)
            return keeping.first { $0.tag == tag }
        }
    }

    /// Like ``storeIfAny(for:key:)``, but throws an error if no store keeps the entity.
    package final func requireStore(
        for entity: EntityLayout, key: Int64 = -1
    ) throws(CoreDataError) -> NSPersistentStore {
        if let store = storeIfAny(for: entity, key: key) { return store }
        throw noStore(for: entity)
    }

    package final func noStore(for entity: EntityLayout) -> CoreDataError {
        CoreDataError(
            .storeOperation,
            persistentStores.isEmpty
                ? "This coordinator has no persistent stores. Add one before fetching or saving."
                : "No store of this coordinator keeps the entity '\(entity.name)'. Add one whose"
                    + " configuration has it.")
    }

    // MARK: Observers

    package final func addRoot(_ observer: some CoordinatorObserver) {
        observers.withLock { $0.roots.add(observer) }
    }

    package final func removeRoot(_ observer: some CoordinatorObserver) {
        observers.withLock { $0.roots.remove(observer) }
    }

    package final var roots: [any CoordinatorObserver] {
        observers.withLock { $0.roots.alive }
    }

    /// Calls a closure for each context that is attached from now on, before the context is used.
    /// Nested contexts are included.
    package final func onAttach(_ told: @escaping @Sendable (AnyObject) -> Void) {
        observers.withLock { $0.onAttach.append(told) }
    }

    package final func noteAttached(_ context: AnyObject) {
        for told in observers.withLock({ $0.onAttach }) { told(context) }
    }

    /// Calls a closure whenever the program uses a member of the coordinator that may affect the
    /// contents of contexts. The closure receives the member's name.
    package final func onCall(_ told: @escaping @Sendable (StaticString) -> Void) {
        observers.withLock { $0.onCall.append(told) }
    }

    final func noteCall(_ member: StaticString) {
        for told in observers.withLock({ $0.onCall }) { told(member) }
    }

    package final func noteRemoved(_ store: NSPersistentStore) {
        for root in observers.withLock({ $0.roots.alive }) { root.noteRemoved(store) }
    }

    package final func addMerger(_ observer: some CoordinatorObserver) {
        observers.withLock { $0.mergers.add(observer) }
    }

    package final func removeMerger(_ observer: some CoordinatorObserver) {
        observers.withLock { $0.mergers.remove(observer) }
    }

    /// The contexts that merge automatically, except for the one that has saved.
    package final func mergers(beside saver: some CoordinatorObserver) -> [any CoordinatorObserver]
    {
        observers.withLock { $0.mergers.alive }.filter { $0 !== saver }
    }

    // MARK: Stores of this coordinator

    /// Opens or creates a store and adds it.
    ///
    /// - Parameters:
    ///   - storeType: a built-in type, compared without regard to case, or a registered type.
    ///   - configuration: the configuration whose entities the store keeps; nil for all.
    ///   - storeURL: the store's file; nil for a store that is only in memory.
    /// - Throws: 134000 for an unknown type, 134010 for a file of another type, 134100 if the store
    ///   does not fit the model, 259 if the file is not a store, and SQLite's errors; the file is
    ///   then unchanged.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try bridgingErrors { () throws(CoreDataError) in
            try add(type: storeType, configuration: configuration, url: storeURL, options: options)
        }
    }

    /// Opens or creates a store as described and adds it; the block is called once, also on
    /// failure.
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        guard storeDescription.shouldAddStoreAsynchronously else {
            block(storeDescription, addingError(storeDescription))
            return
        }
        // Safe, because from here on only the coordinator's queue uses the description and the
        // block.
        nonisolated(unsafe) let (description, block) = (storeDescription, block)
        queue.enqueue("add store") { block(description, self.addingError(description)) }
    }

    /// Registers the class of a store type; coordinators create stores of the type as its
    /// instances.
    ///
    /// - Parameters:
    ///   - storeClass: a subclass of `NSIncrementalStore` or `NSAtomicStore`; nil removes the type.
    ///   - storeType: a name that is not a built-in type.
    open class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        orTrap { () throws(CoreDataError) in
            try StoreClasses.register(storeClass, for: storeType)
        }
    }

    /// Registers the class of a store type; coordinators create stores of the type as its
    /// instances.
    open class func registerStoreClass(
        _ storeClass: AnyClass?, type: NSPersistentStore.StoreType
    ) {
        registerStoreClass(storeClass, forStoreType: type.rawValue)
    }

    /// The known store types, each with a pointer to its class. The class of a built-in type is
    /// `NSPersistentStore` itself.
    open class var registeredStoreTypes: [String: NSValue] { StoreClasses.values }

    /// Closes a store and removes it from the coordinator.
    open func remove(_ store: NSPersistentStore) throws {
        noteCall("remove(_:)")
        try bridgingErrors { () throws(CoreDataError) in
            try removeForGood(store)
        }
    }

    /// The store at the URL, or nil.
    open func persistentStore(for URL: URL) -> NSPersistentStore? {
        persistentStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
    }

    /// The location of the store; the null device for a store in memory.
    open func url(for store: NSPersistentStore) -> URL {
        store.url ?? Foundation.URL(fileURLWithPath: "/dev/null")
    }

    /// The store's metadata.
    open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// Changes the store's metadata; the next save writes it.
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        noteCall("setMetadata(_:for:)")
        store.metadata = metadata
    }

    /// Records a store's new location; a SQLite store continues to use its open file.
    ///
    /// - Returns: whether the store is in this coordinator.
    @discardableResult
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        guard persistentStores.contains(where: { $0 === store }) else { return false }
        noteCall("setURL(_:for:)")
        noteStores("sets the URL of \(store.place)")
        store.url = url
        return true
    }

    /// The id for a URI as text, or nil if no store of this coordinator has the URI's UUID.
    open func managedObjectID(for string: String) -> NSManagedObjectID? {
        Foundation.URL(string: string).flatMap { managedObjectID(forURIRepresentation: $0) }
    }

    /// The id for a URI, or nil if no store of this coordinator has the URI's UUID.
    ///
    /// Does not check whether the row exists, and runs no statement.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        identifier(at: url)
    }

    /// Enqueues the block on the coordinator's queue, and returns without waiting for the block.
    open func perform(_ block: @escaping () -> Void) {
        // Safe: the block runs once, on the coordinator's queue, as the caller requested.
        nonisolated(unsafe) let block = block
        noteCall("perform(_:)")
        queue.enqueue("perform") { block() }
    }

    /// Runs the block on the coordinator's queue and waits for it; see the generic variant.
    open func performAndWait(_ block: () -> Void) {
        noteCall("performAndWait(_:)")
        queue.runAndWait { () throws(Never) in block() }
    }

    // MARK: Files of stores

    /// The metadata of the store at a URL; nothing is written.
    ///
    /// - Parameters:
    ///   - storeType: the store's type; nil to determine it from the file.
    /// - Throws: 134010 if the file is a store of another type, 260 if it does not exist, 259 if it
    ///   is not a store.
    open class func metadataForPersistentStore(
        ofType storeType: String?, at url: URL
    ) throws -> [String: Any] {
        try bridgingErrors { () throws(CoreDataError) in try metadata(storeType, url, nil) }
    }

    /// The metadata of the store at a URL; nothing is written.
    open class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try bridgingErrors { () throws(CoreDataError) in try metadata(storeType, url, options) }
    }

    /// The metadata of the store at a URL; nothing is written.
    open class func metadataForPersistentStore(
        type storeType: NSPersistentStore.StoreType, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: storeType.rawValue, at: storeURL, options: options)
    }

    /// The metadata of the store at a URL, of any type.
    open class func metadataForPersistentStore(with url: URL) throws -> [AnyHashable: Any] {
        try metadataForPersistentStore(ofType: nil, at: url)
    }

    /// Immediately replaces the custom values in the metadata of the store at a URL. The type, the
    /// UUID and the description of the model are kept.
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String?, at url: URL
    ) throws {
        try bridgingErrors { () throws(CoreDataError) in
            try setMetadata(metadata, storeType, url, nil)
        }
    }

    /// Immediately replaces the custom values in the metadata of the store at a URL.
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try bridgingErrors { () throws(CoreDataError) in
            try setMetadata(metadata, storeType, url, options)
        }
    }

    /// Immediately replaces the custom values in the metadata of the store at a URL.
    open class func setMetadata(
        _ metadata: [String: Any]?, type storeType: NSPersistentStore.StoreType, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(
            metadata, forPersistentStoreOfType: storeType.rawValue, at: storeURL, options: options)
    }

    /// Empties the store at a URL; the file of a SQLite store remains, without tables.
    ///
    /// Respects SQLite's locks. If another connection uses the store, the call fails after the
    /// timeout. A store of this coordinator at that URL is removed first. A missing file is not an
    /// error.
    ///
    /// - Parameters:
    ///   - storeType: the store's type, compared without regard to case.
    ///   - options: the timeout; `NSPersistentStoreForceDestroyOption` to remove the files of a
    ///     SQLite store that cannot be emptied.
    open func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        noteCall("destroyPersistentStore(at:type:options:)")
        try bridgingErrors { () throws(CoreDataError) in
            let kind = try StoreKinds.required(storeType)
            noteStores("destroys the store at \(url.path)")
            try removeStore(at: url)
            try kind.destroy(ClosedStore(url, options: options))
        }
    }

    /// Empties the store at a URL.
    open func destroyPersistentStore(
        at url: URL, type storeType: NSPersistentStore.StoreType,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
    }

    /// Replaces the store at one URL by a copy of the store at another URL, including the UUID.
    ///
    /// Uses SQLite, so locks and journals on both sides are respected, and the source may be in
    /// use. If the process ends during the call, the destination contains either the complete old
    /// store or the complete new one, with its large values. A store of this coordinator at the
    /// destination is removed first; add it again afterwards.
    open func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        ofType storeType: String
    ) throws {
        noteCall("replacePersistentStore(at:withPersistentStoreFrom:)")
        try bridgingErrors { () throws(CoreDataError) in
            try replace(
                destinationURL, destinationOptions, by: sourceURL, sourceOptions, storeType)
        }
    }

    /// Replaces the store at one URL by a copy of the store at another URL.
    open func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        type sourceType: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions,
            withPersistentStoreFrom: sourceURL, sourceOptions: sourceOptions,
            ofType: sourceType.rawValue)
    }

    /// Copies a store to another location or type. In the coordinator, the copy replaces the store.
    ///
    /// Reads and writes every row once; primary keys are kept, versions start at 1 again, and the
    /// copy has a new UUID. Objects of contexts find their rows in the copy. `storesDidChange` is
    /// posted with the old and the new store under `NSUUIDChangedPersistentStoresKey`.
    ///
    /// - Returns: the new store; the old one is removed from the coordinator, but its file remains.
    /// - Throws: 516 if the file at the URL already exists. A copy that fails, or whose process
    ///   ends, leaves no file.
    @discardableResult
    open func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil,
        withType storeType: String
    ) throws -> NSPersistentStore {
        noteCall("migratePersistentStore(_:to:)")
        return try bridgingErrors { () throws(CoreDataError) in
            try migrate(store, to: URL, options, storeType)
        }
    }

    /// Copies a store to another location or type. In the coordinator, the copy replaces the store.
    @discardableResult
    open func migratePersistentStore(
        _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil,
        type storeType: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(
            store, to: storeURL, options: options, withType: storeType.rawValue)
    }

    /// A token for the last transaction of each store; nil if no store tracks its history.
    ///
    /// Runs one SELECT for each store.
    ///
    /// - Parameter stores: the stores; nil or empty for all.
    open func currentPersistentHistoryToken(
        fromStores stores: [Any]?
    ) -> NSPersistentHistoryToken? {
        noteCall("currentPersistentHistoryToken(fromStores:)")
        return historyToken(ofStores: stores)
    }

    /// Completes the work that lightweight migrations of this coordinator's stores have deferred.
    ///
    /// Tables with unused columns are rebuilt, and unused tables are dropped, in one transaction
    /// for each store. Does nothing if no work was deferred.
    open func finishDeferredLightweightMigration() throws {
        noteCall("finishDeferredLightweightMigration()")
        try bridgingErrors { () throws(CoreDataError) in
            for store in persistentStores { _ = try opening.finishDeferredWork(of: store, self) }
        }
    }

    /// Completes the deferred work of one store. Call it again until the stores' metadata lists no
    /// deferred work.
    open func finishDeferredLightweightMigrationTask() throws {
        noteCall("finishDeferredLightweightMigrationTask()")
        try bridgingErrors { () throws(CoreDataError) in
            for store in persistentStores
            where try opening.finishDeferredWork(of: store, self) { return }
        }
    }

    /// Blocks saves by other threads until ``unlock()``. Calls may be nested.
    @available(*, deprecated, message: "use performAndWait(_:)")
    open func lock() {
        noteCall("lock()")
        enterWriting()
    }

    /// Releases the lock that ``lock()`` took.
    @available(*, deprecated, message: "use performAndWait(_:)")
    open func unlock() {
        noteCall("unlock()")
        leaveWriting()
    }

    /// Locks like ``lock()`` if no other thread holds the lock.
    ///
    /// - Returns: whether the caller now holds the lock.
    @available(*, deprecated, message: "use performAndWait(_:)")
    @discardableResult
    open func tryLock() -> Bool {
        noteCall("tryLock()")
        return tryWriting()
    }

    /// Opens or creates a store and adds it.
    @discardableResult
    open func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(
            ofType: type.rawValue, configurationName: configuration, at: storeURL,
            options: options)
    }
}

// `@unchecked Sendable` because mutexes guard stores, observers and name. All other fields are
// immutable and Sendable.
extension NSPersistentStoreCoordinator: @unchecked Sendable {}

/// The ids of the objects that one save wrote, for other contexts.
package struct SavedKeys: Sendable {
    package var inserted: [ObjectKey] = []
    package var updated: [ObjectKey] = []
    package var deleted: [ObjectKey] = []

    package init(inserted: [ObjectKey] = [], updated: [ObjectKey] = [], deleted: [ObjectKey] = []) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }

    package var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}
