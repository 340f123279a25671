import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace

/// A workspace for objects: it fetches them, tracks changes, and saves them to its parent.
///
/// A context belongs to a queue. Except for `perform`, `performAndWait` and the properties that any
/// thread may use, its members must be called on that queue. A separate type implements each
/// operation.
open class NSManagedObjectContext: NSObject {
    package let queue: any ConfinementQueue
    private let type: NSManagedObjectContextConcurrencyType
    private var attachment: Attachment = .none
    @exclusivity(unchecked) private var identityMap: ObjectRegistry?
    /// The coordinator or parent in `attachment`, from which rows are read. It is stored in
    /// addition to `attachment`, because every fault that fires reads it.
    private var knownSource: (any ObjectSource)?
    let changes = ChangeTracker()
    final lazy var decodedValues = DecodedValues()
    private var policy: NSMergePolicy = .error
    /// Settings with which the lab overrides the program's settings; nil otherwise.
    final package var overrides: SettingOverrides?
    /// The stores to which new objects were assigned, indexed by the objects' temporary keys.
    final var assignedStores: [Int64: NSPersistentStore] = [:]
    private var extraStrong: [ObjectIdentifier: NSManagedObject] = [:]
    let children = ChildContexts()
    /// Rows that the parent has sent after a save, and that are not merged yet.
    let arrivals = Arrivals()
    /// Whether a parent's save is being merged; the merge must not send requests to the parent.
    final var isTakingArrivals = false
    private let info = NSMutableDictionary()
    /// A reference to this context, for holders that do not keep the context alive.
    let weakReference = WeakReference<NSManagedObjectContext>()
    /// Whether pending changes are being processed; a nested call then returns immediately.
    var isProcessing = false
    var isSaving = false
    /// The sets of objects in the notifications that the current save has posted. A save usually
    /// posts the same sets twice.
    var announced: [NotificationInfo.Announced] = []
    final var undoRecorder: UndoRecorder? {
        didSet { identityMap?.undoRecorder = undoRecorder }
    }
    final var checkpointObserver: (any NSObjectProtocol)?
    /// The number of this context's ancestors: its parent, the parent's parent, and so on.
    final var nesting = 0
    /// Whether an override of `fetch(_:)` runs on the context's queue.
    final var isInOwnFetch = false
    var queryPin = QueryPin.newest

    private enum Attachment {
        case none
        case coordinator(NSPersistentStoreCoordinator)
        case parent(NSManagedObjectContext)
    }

    /// Creates a context with a queue of the given type and neither coordinator nor parent.
    ///
    /// Traps for the confinement type, which no longer exists; use the private or the main queue
    /// type.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        type = ct
        queue = orTrap { () throws(CoreDataError) in try ConfinementQueues.make(ct) }
        super.init()
        weakReference.set(self)
        let scope = ConfinementScope.current
        checksAccess = scope != nil || LaunchArguments.process.concurrencyDebug == true
        scope?.adopt(self)
    }

    /// Creates a context with a queue of the given type and neither coordinator nor parent.
    public convenience init(_ type: ConcurrencyType) {
        self.init(concurrencyType: type.rawValue)
    }

    /// Unavailable, because the context would have the confinement type, which no longer exists.
    @available(*, deprecated, message: "Use init(_:) with a queue type.")
    public convenience override init() {
        self.init(concurrencyType: .confinementConcurrencyType)
    }

    /// Creates a context that works on the given queue.
    ///
    /// This initialiser is not a designated one: if it were, classes outside the package could not
    /// inherit the other initialisers.
    package convenience init(
        concurrencyType: NSManagedObjectContextConcurrencyType, queue: any ConfinementQueue
    ) {
        let scope = ConfinementScope(makeQueue: { _ in queue }, adopt: { _ in })
        let outer = ConfinementScope.current
        ConfinementScope.current = scope
        self.init(concurrencyType: concurrencyType)
        ConfinementScope.current = outer
    }

    deinit {
        weakReference.clear()
        if let undoManager { stopUndo(undoManager) }
        if let identityMap {
            identityMap.setContext(nil)
            // Without a context, links cannot be used. If they were kept, two objects that are
            // linked in both directions would keep each other alive forever.
            for object in identityMap.all { object.relationships = nil }
        }
        if case .coordinator(let coordinator) = attachment { coordinator.removeMerger(self) }
    }

    /// Receives the program's operations on the context's objects; only the lab's contexts have a
    /// watcher.
    @exclusivity(unchecked) package final var watcher: (any ContextWatcher)?

    /// Whether every access to an object is checked against the queue.
    @exclusivity(unchecked) package private(set) var checksAccess = false

    // MARK: Free to use from any thread

    /// The kind of queue the context works on.
    open var concurrencyType: NSManagedObjectContextConcurrencyType { type }

    /// A name for logs; also the label of a private queue.
    open var name: String? {
        didSet { if let name { queue.label = name } }
    }

    /// Custom values of the program.
    open var userInfo: NSMutableDictionary { info }

    // MARK: Parent and coordinator

    /// The coordinator to which the context saves; for a child, the coordinator of its root
    /// context.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get {
            switch attachment {
            case .none: nil
            case .coordinator(let coordinator): coordinator
            case .parent(let parent): parent.persistentStoreCoordinator
            }
        }
        set { orTrap { () throws(CoreDataError) in try attach(to: newValue) } }
    }

    /// The parent context, or nil for a root context.
    open var parent: NSManagedObjectContext? {
        get {
            if case .parent(let parent) = attachment { return parent }
            return nil
        }
        set { orTrap { () throws(CoreDataError) in try attach(toParent: newValue) } }
    }

    package func attach(to coordinator: NSPersistentStoreCoordinator?) throws(CoreDataError) {
        switch attachment {
        case .none: break
        case .coordinator(let known):
            if known === coordinator { return }
            emit(.called("persistentStoreCoordinator"))
            try detach()
        case .parent:
            if coordinator != nil { throw Self.attached("a parent", instead: "a coordinator") }
        }
        guard let coordinator else { return }
        let binding = try ModelBinding.of(coordinator.frozenModel)
        attachment = .coordinator(coordinator)
        knownSource = coordinator
        trace = coordinator.trace
        let route = FaultRoute(coordinator, coordinator.faultPoints)
        makeRegistry(binding, route) { [weak coordinator] in
            coordinator?.storeIfAny(for: $0, key: $1)
        }
        coordinator.addRoot(self)
        if mergesByItself { coordinator.addMerger(self) }
        coordinator.noteAttached(self)
    }

    package func attach(toParent parent: NSManagedObjectContext?) throws(CoreDataError) {
        switch attachment {
        case .none: break
        case .coordinator:
            if parent != nil { throw Self.attached("a coordinator", instead: "a parent") }
        case .parent(let known):
            if known === parent { return }
            if parent != nil { throw Self.attached("a parent", instead: "another one") }
            emit(.called("parent"))
            try detach()
            known.children.remove(self)
        }
        guard let parent else { return }
        guard let binding = parent.identityMap?.binding else {
            throw CoreDataError(
                .invalidArgument,
                "The parent context has neither a coordinator nor a parent of its own. Set one of"
                    + " them before it becomes a parent.")
        }
        attachment = .parent(parent)
        knownSource = ParentSource(parent)
        nesting = parent.nesting + 1
        parent.children.add(self)
        notifyWatcher(.attached(parent))
        let coordinator = parent.persistentStoreCoordinator
        trace = parent.trace
        makeRegistry(binding, nil) { [weak coordinator] in
            coordinator?.storeIfAny(for: $0, key: $1)
        }
        coordinator?.noteAttached(self)
    }

    private func detach() throws(CoreDataError) {
        guard identityMap?.count ?? 0 == 0 else {
            throw CoreDataError(
                .invalidArgument,
                "The context has objects; reset() it before changing its coordinator or parent.")
        }
        if case .coordinator(let known) = attachment {
            known.removeMerger(self)
            known.removeRoot(self)
        }
        attachment = .none
        // The next coordinator or parent may not have the pinned state of the stores.
        queryPin = .newest
        nesting = 0
    }

    private static func attached(_ what: String, instead other: String) -> CoreDataError {
        CoreDataError(
            .invalidArgument,
            "Context already has \(what); cannot replace it by \(other). Create another context.")
    }

    private func makeRegistry(
        _ binding: ModelBinding, _ route: FaultRoute?,
        stores: @escaping @Sendable (EntityLayout, Int64) -> NSPersistentStore?
    ) {
        let made = ObjectRegistry(
            binding: binding, route: route, trace: trace, parent: parent?.registry,
            stores: stores)
        made.acceptsAnyAge = takesRowsOfAnyAge
        made.retainsObjects = retainsRegisteredObjects
        made.setContext(self)
        made.undoRecorder = undoRecorder
        assert(identityMap?.count ?? 0 == 0, "the context still has registered objects")
        identityMap?.setContext(nil)
        identityMap = made
    }

    /// The identity map. Traps if the context has neither a coordinator nor a parent.
    package final var registry: ObjectRegistry {
        orTrap { () throws(CoreDataError) in try requireRegistry() }
    }

    final var knownRegistry: ObjectRegistry? { identityMap }

    final func requireRegistry() throws(CoreDataError) -> ObjectRegistry {
        if let identityMap { return identityMap }
        throw CoreDataError(
            .invalidArgument,
            "The context has neither a coordinator nor a parent. Set persistentStoreCoordinator or"
                + " parent first.")
    }

    final func noticeQueue() throws(CoreDataError) -> NoticeQueue? {
        guard let identityMap else { return try requireRegistry().notices }
        return Unmanaged.passUnretained(identityMap)._withUnsafeGuaranteedRef { $0.notices }
    }

    /// Whether the object belongs to this context. Does not change reference counts.
    final func has(_ object: NSManagedObject) -> Bool {
        guard let identityMap else { return false }
        return object.registryReference?.toOpaque()
            == Unmanaged.passUnretained(identityMap).toOpaque()
    }

    final var binding: ModelBinding { registry.binding }

    final var source: any ObjectSource {
        if StoreClasses.areOpen { RequestingContext.note(self) }
        if let knownSource { return knownSource }
        trap(
            CoreDataError(
                .invalidArgument,
                "The context has no coordinator. Set persistentStoreCoordinator first."))
    }

    /// The event stream of the context; disabled until the context has a coordinator.
    final private(set) var trace = Trace()

    /// Sets the source that the context reads from now on: a pinned generation of the coordinator,
    /// or the coordinator itself.
    final func read(
        from source: any CachedRowReading, of coordinator: NSPersistentStoreCoordinator
    ) {
        knownSource = source
        identityMap?.faultRoute = RetainedObject(FaultRoute(source, coordinator.faultPoints))
    }

    // MARK: Settings

    /// The policy that resolves conflicts of this context's saves. It is one of Core Data's five
    /// policies, or an instance of a subclass of `NSMergePolicy`.
    open var mergePolicy: Any {
        get { policy }
        set {
            guard let newValue = newValue as? NSMergePolicy else {
                trap(
                    CoreDataError(
                        .invalidArgument,
                        "mergePolicy must be an NSMergePolicy, not a \(Swift.type(of: newValue))."))
            }
            policy = newValue
        }
    }

    final var currentPolicy: NSMergePolicy {
        overrides?.mergePolicy.map(NSMergePolicy.of) ?? policy
    }

    final var mergesByItself: Bool {
        overrides?.mergesAutomatically ?? automaticallyMergesChangesFromParent
    }

    /// Whether saves of siblings are merged automatically; for a child, the parent's saves. The
    /// merge runs on the context's queue, some time after the save.
    open var automaticallyMergesChangesFromParent = false {
        didSet {
            notifyWatcher(.mergesChanged)
            emit(.setting(.automerge(automaticallyMergesChangesFromParent)))
            guard case .coordinator(let coordinator) = attachment else { return }
            if mergesByItself {
                coordinator.addMerger(self)
            } else {
                coordinator.removeMerger(self)
            }
        }
    }

    /// Whether the delete rules of deleted objects are applied when pending changes are processed
    /// (the default), or only at the save.
    open var propagatesDeletesAtEndOfEvent = true {
        didSet { emit(.called("propagatesDeletesAtEndOfEvent")) }
    }

    /// Whether an access to an object whose row is missing marks the object as deleted (the
    /// default) or traps.
    open var shouldDeleteInaccessibleFaults = true {
        didSet { emit(.setting(.deletesInaccessible(shouldDeleteInaccessibleFaults))) }
    }

    /// The maximum age in seconds of a cached row that is used to fire a fault or to refresh an
    /// object. A negative number (the default) accepts any age.
    open var stalenessInterval: TimeInterval = -1 {
        didSet {
            identityMap?.acceptsAnyAge = takesRowsOfAnyAge
            emit(.setting(.staleness(stalenessInterval)))
        }
    }

    /// Whether a cached row of any age is used. Always false for a child context: it requests rows
    /// from its parent, because the parent may have changed the object.
    private var takesRowsOfAnyAge: Bool { stalenessInterval < 0 && parent == nil }

    /// Whether the context keeps every registered object alive.
    open var retainsRegisteredObjects = false {
        didSet {
            emit(.called("retainsRegisteredObjects"))
            extraStrong = [:]
            identityMap?.retainsObjects = retainsRegisteredObjects
            guard retainsRegisteredObjects, let identityMap else { return }
            for object in identityMap.all { retain(object) }
        }
    }

    /// Records the context's changes for ``undo()``; nil (the default) records nothing.
    ///
    /// The changes of one event form one action; the manager keeps the changed objects alive. A
    /// nested context has a separate manager, and its save is one action of the parent's manager.
    open var undoManager: UndoManager? {
        didSet {
            changeUndoManager(from: oldValue)
            emit(.setting(.undo(undoManager != nil)))
        }
    }

    /// The author of the context's saves.
    open var transactionAuthor: String? {
        didSet { emit(.called("transactionAuthor")) }
    }

    // MARK: Parts used by collaborators

    final func retain(_ object: NSManagedObject) { extraStrong[ObjectIdentifier(object)] = object }

    final func releaseRetained() { extraStrong = [:] }

    /// Cached rows that are older than this time are not used; nil if a row of any age may be used.
    final var oldestAcceptable: Double? {
        stalenessInterval < 0 ? nil : Date().timeIntervalSinceReferenceDate - stalenessInterval
    }

    final func accepts(_ block: RowBlock) -> Bool {
        stalenessInterval < 0 || block.timestamp >= oldestAcceptable ?? 0
    }

    /// Fails when the calling thread does not run a block of this context.
    package final func checkConfined(_ what: String) throws(CoreDataError) {
        if queue.isCurrent { return }
        let message =
            "\(what) of the context '\(name ?? "unnamed")' was used off"
            + " the context's queue. Wrap the access in perform or performAndWait."
            + " (__Multithreading_Violation_AllThatIsLeftToUsIsHonor__)"
        if queue.letsPass(message) { return }
        throw CoreDataError(.wrongQueue, message)
    }

    /// Decides what happens if a fault's row is missing; subclasses may override it.
    ///
    /// - Returns: true to mark the object as deleted, false to fail.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID,
        triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        shouldDeleteInaccessibleFaults
    }

    // MARK: Queue

    /// Runs the block on the context's queue, some time later, and processes pending changes
    /// after it.
    open func perform(_ block: @escaping () -> Void) {
        // Safe: the block runs once, on the context's queue, as the caller of `perform` requested.
        nonisolated(unsafe) let block = block
        let number = askedBlock(waits: false)
        queue.enqueue("perform") {
            self.asCurrent(as: number) { () throws(Never) in block() }
            self.processPendingChanges()
        }
    }

    /// Runs the block on the context's queue and waits for it; see the generic variant.
    open func performAndWait(_ block: () -> Void) {
        let number = askedBlock(waits: true)
        queue.runAndWait { () throws(Never) in
            asCurrent(as: number) { () throws(Never) in block() }
        }
    }

    // MARK: Objects

    /// Whether anything is unsaved.
    open var hasChanges: Bool {
        emit(.looked(.hasChanges))
        return changes.hasChanges
    }

    /// New objects, including those that were changed after their insertion.
    open var insertedObjects: Set<NSManagedObject> {
        emit(.looked(.inserted))
        return Set(changes.inserted)
    }

    /// Changed objects that are neither new nor deleted.
    open var updatedObjects: Set<NSManagedObject> {
        emit(.looked(.updated))
        return Set(changes.updated)
    }

    /// Objects that the next save deletes.
    ///
    /// Objects that a merge has deleted are included until the next save if they are in use; their
    /// deletions are not changes of this context.
    open var deletedObjects: Set<NSManagedObject> {
        emit(.looked(.deleted))
        var deleted = Set(changes.deleted)
        if changes.hasMergedDeletions {
            deleted.formUnion(registry.all.filter { $0.state.contains(.deletedByMerge) })
        }
        return deleted
    }

    /// All registered objects that are in use by the program or the context.
    open var registeredObjects: Set<NSManagedObject> {
        served("registeredObjects") { () throws(CoreDataError) in
            try checkConfined("registeredObjects")
            emit(.looked(.registered))
            return Set(registry.all)
        }
    }

    /// Registers an object that was created without a context as an inserted object.
    open func insert(_ object: NSManagedObject) {
        served("insert(_:)") { () throws(CoreDataError) in try insertObject(object) }
    }

    /// Marks an object as deleted; the next save deletes its row.
    ///
    /// The delete rules of its relationships are applied when pending changes are processed. At
    /// that time a new object, which has no row, is removed from the context.
    open func delete(_ object: NSManagedObject) {
        served("delete(_:)") { () throws(CoreDataError) in try deleteObject(object) }
    }

    /// The registered object with the id; nil if the context has not registered the object. Runs no
    /// SQL.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        served("registeredObject(for:)") { () throws(CoreDataError) in
            try checkConfined("registeredObject(for:)")
            emit(.called("registeredObject(for:)"))
            return registry.registered(objectID.key)
        }
    }

    /// The object with the id; a new fault if the context has not registered the object.
    ///
    /// Runs no SQL. If the row does not exist, firing the fault detects this.
    @discardableResult
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        served("object(with:)") { () throws(CoreDataError) in try fault(with: objectID) }
    }

    /// The object with the id. Its fault is fired, with at most one SELECT.
    ///
    /// - Throws: 133000 if neither a row nor an unsaved object with the id exists, and 134060 if
    ///   the archive of a transformable attribute cannot be decoded.
    @discardableResult
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try bridgingServed("existingObject(with:)") { () throws(CoreDataError) in
            try existing(objectID)
        }
    }

    /// Assigns permanent ids to new objects ahead of their save, in one short transaction.
    ///
    /// The objects stay inserted until they are saved. Objects with permanent ids are skipped.
    ///
    /// - Throws: an error if an object is not in this context, for example after its insertion was
    ///   rolled back.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        try bridgingServed("obtainPermanentIDs(for:)") { () throws(CoreDataError) in
            try assignPermanentIDs(to: objects)
        }
    }

    /// Makes an unchanged object take part in the conflict check of the next save.
    ///
    /// An object that has left the context is skipped. It has left if its deletion was saved or its
    /// insertion was undone.
    open func detectConflicts(for object: NSManagedObject) {
        served("detectConflicts(for:)") { () throws(CoreDataError) in
            try noteDetection(of: object)
        }
    }

    /// Assigns a new object to one of several stores.
    ///
    /// Without an assignment, the object is saved to the first writable store that keeps its
    /// entity. The method fails if the store does not keep the entity, or if the object was already
    /// saved. Runs no SQL.
    open func assign(_ object: Any, to store: NSPersistentStore) {
        served("assign(_:to:)") { () throws(CoreDataError) in
            emit(.called("assign(_:to:)"))
            try assignObject(object, to: store)
        }
    }

    // MARK: Fetching and saving

    /// Fetches the results of a request without a static type.
    @_disfavoredOverload
    open func fetch(
        _ request: NSFetchRequest<any NSFetchRequestResult>
    ) throws -> [Any] {
        try fetchTyped(request)
    }

    /// Counts the results of a request without a static type.
    @_disfavoredOverload
    open func count(
        for request: NSFetchRequest<any NSFetchRequestResult>
    ) throws -> Int {
        try bridgingServed("count(for:)") { () throws(CoreDataError) in
            try countResults(request.options)
        }
    }

    /// Saves all changes to the parent: a child's to its parent context, a root's to the store.
    ///
    /// New rows need a short transaction that reserves their keys. Then one transaction for each
    /// store runs the statements: one for each changed row, and one for up to sixteen new rows.
    ///
    /// - Throws: validation errors (1550–1680), conflicts that the merge policy does not resolve
    ///   (133020 for merge conflicts, 133021 for constraint conflicts), and the store's failures.
    ///   All changes are then still pending.
    open func save() throws {
        try bridgingServed("save()") { () throws(CoreDataError) in try saveChanges() }
    }

    /// Processes the changes since the last call.
    ///
    /// Applies delete rules, removes objects that were inserted and deleted, and posts the
    /// notification of changed objects. Called automatically after each block of `perform`, before
    /// a fetch that includes unsaved changes, and in a save.
    open func processPendingChanges() {
        served("processPendingChanges()") { () throws(CoreDataError) in
            // The engine also calls this method, after a block has ended. Only calls by the program
            // are reported.
            if Self.current === self { emit(.processesPending) }
            try processPending()
            endUndoEvent()
        }
    }

    /// Runs a request without touching the context's own changes: a batch request, a request for
    /// history, or an asynchronous fetch.
    ///
    /// The request's own documentation states the cost. A batch request does not update objects of
    /// the context; merge its ids with `mergeChanges(fromRemoteContextSave:into:)`.
    ///
    /// - Throws: 134091 for a request that no store supports, among them `NSSaveChangesRequest`,
    ///   and the store's failures.
    @discardableResult
    open func execute(
        _ request: NSPersistentStoreRequest
    ) throws -> NSPersistentStoreResult {
        try bridgingServed("execute(_:)") { () throws(CoreDataError) in
            try executeRequest(request)
        }
    }

    // MARK: Refreshing and merging

    /// Reads the object again.
    ///
    /// If `flag` is true, an object without changes becomes a fault. A changed object takes the
    /// newest row and keeps its unsaved changes on top, so its next save does not conflict with
    /// earlier saves.
    ///
    /// If `flag` is false, the changes are dropped and the object becomes a fault. A link that
    /// another object has also changed is kept at both ends. The object then still counts as
    /// changed.
    ///
    /// If a row cannot be read, the coordinator's `faultFailureHandler` is called.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        // The common case uses no closure, because a closure would retain its captures.
        if listener == nil, queue.isCurrent {
            do throws(CoreDataError) {
                return try refreshObject(object, mergeChanges: flag)
            } catch {
                return refreshOn(after: error, object, mergeChanges: flag)
            }
        }
        served("refresh(_:mergeChanges:)") { () throws(CoreDataError) in
            try checkConfined("refresh(_:mergeChanges:)")
            object.reading(nil) { () throws(CoreDataError) in
                emit(.refreshed(object, keepsChanges: flag))
                try unheard { () throws(CoreDataError) in
                    try refreshObject(object, mergeChanges: flag)
                }
            }
        }
    }

    /// Refreshes every object: changed objects keep their changes, all others become faults.
    open func refreshAllObjects() {
        served("refreshAllObjects()") { () throws(CoreDataError) in try refreshAll() }
    }

    /// Drops all unsaved changes and restores the values that were last fetched or saved. Runs no
    /// SQL.
    open func rollback() {
        served("rollback()") { () throws(CoreDataError) in try rollbackChanges() }
    }

    /// Forgets all objects. Objects that the program still refers to then have only their default
    /// values, and can no longer be changed. Observers receive the ids of all forgotten objects.
    open func reset() {
        served("reset()") { () throws(CoreDataError) in try resetContext() }
    }

    /// Applies the changes that another context saved, or a transaction of the history.
    ///
    /// Registered objects that were updated are refreshed and keep their unsaved changes; inserted
    /// objects are registered as faults; deleted objects are marked as deleted. Must be called on
    /// the receiver's queue; the notification may come from any thread.
    open func mergeChanges(fromContextDidSave notification: Notification) {
        served("mergeChanges(fromContextDidSave:)") { () throws(CoreDataError) in
            try mergeSaved(notification)
        }
    }

    /// Applies changes from a batch request, the history or another process to contexts.
    ///
    /// Cached rows of updated and deleted objects are dropped first, so contexts read the store's
    /// rows. Parents come before their children. Each context merges on its own queue, and this
    /// method waits for it. Objects that a context has not registered are ignored.
    ///
    /// - Parameters:
    ///   - changeNotificationData: ids under `NSInsertedObjectsKey`, `NSUpdatedObjectsKey` and
    ///     `NSDeletedObjectsKey`, or under their `ObjectIDs` variants. The values are arrays or
    ///     sets of `NSManagedObjectID`, or of ids as URLs.
    ///   - contexts: the contexts that apply the changes.
    open class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
        into contexts: [NSManagedObjectContext]
    ) {
        orTrap { () throws(CoreDataError) in
            try mergeRemote(changeNotificationData, into: contexts)
        }
    }

    /// The state of the stores to which the context is pinned. Nil if the context always reads the
    /// newest state; `current` until the context's next read.
    open var queryGenerationToken: NSQueryGenerationToken? {
        emit(.looked(.isPinned))
        guard let generation = queryPin.generation else { return nil }
        return generation.isHeld ? NSQueryGenerationToken(generation) : .current
    }

    /// Pins the context to one state of the stores, regardless of later saves.
    ///
    /// Fetches and faults read that state, which a read transaction on a separate connection
    /// preserves. A save is still checked against the newest state. Objects that are not faults
    /// keep their values until they are refreshed.
    ///
    /// Saving, resetting and merging move the context to the newest state. A context that was
    /// pinned by `current` is then pinned again, to that state. The first read runs two additional
    /// statements, and later reads run none.
    ///
    /// - Parameter generation: `current` for the state at the next read, another context's token to
    ///   share its state, or nil to read the newest state again.
    /// - Throws: 134091 if a store keeps no earlier states (in memory, or without a write-ahead
    ///   log). 134060 for a child context, an expired token, or a token of another coordinator.
    open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        try bridgingServed("setQueryGenerationFrom(_:)") { () throws(CoreDataError) in
            try pin(to: generation)
        }
    }

    /// Undoes the newest group of actions of the undo manager; does nothing without a manager.
    ///
    /// Pending changes are processed first. Values are restored from memory; restoring a value of a
    /// fault fires the fault.
    open func undo() {
        served("undo()") { () throws(CoreDataError) in try undoChanges() }
    }

    /// Redoes the action that was undone last; does nothing without an undo manager.
    open func redo() {
        served("redo()") { () throws(CoreDataError) in try redoChanges() }
    }

    // MARK: Deprecated

    /// Waits until no other thread has locked the context; the calling thread may lock it again.
    ///
    /// The lock is independent of the context's queue. Use `performAndWait` instead.
    @available(*, deprecated, message: "Use performAndWait.")
    open func lock() {
        emit(.called("lock()"))
        ContextLocks.lock(self)
    }

    /// Reverts one call of ``lock()`` or ``tryLock()``; logs an error if the context is not locked.
    @available(*, deprecated, message: "Use performAndWait.")
    open func unlock() {
        emit(.called("unlock()"))
        ContextLocks.unlock(self)
    }

    /// Locks the context unless another thread has locked it; never waits.
    @available(*, deprecated, message: "Use performAndWait.")
    @discardableResult
    open func tryLock() -> Bool {
        emit(.called("tryLock()"))
        return ContextLocks.tryLock(self)
    }

    /// Only writes to the log, because contexts do not support key-value observing here. Observe
    /// `didChangeObjectsNotification`.
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [String: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        EngineLog.errorOnce(
            "a context received a value for '\(keyPath ?? "")', but contexts do not observe keys"
                + " on this platform. Observe its didChangeObjectsNotification.")
    }
}

// `@unchecked Sendable` because all fields that change are used only on the context's queue, which
// the operations check (`checkConfined`).
extension NSManagedObjectContext: @unchecked Sendable {}
