import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace

/// A place to work on objects: it fetches them, tracks changes, and saves them to its parent.
///
/// A context belongs to a queue. Everything but `perform`, `performAndWait` and the properties
/// said to be free must be called there. This class is a façade: each verb is a type of its own.
open class NSManagedObjectContext: NSObject {
    /// The queue the context works on.
    package let queue: any ConfinementQueue
    private let type: NSManagedObjectContextConcurrencyType
    private var attachment: Attachment = .none
    @exclusivity(unchecked) private var identityMap: ObjectRegistry?
    /// Set with the attachment, because every fault asks for it.
    private var knownSource: (any ObjectSource)?
    let changes = ChangeTracker()
    /// Made at the first value that a transformer decodes.
    final lazy var decodedValues = DecodedValues()
    private var policy: NSMergePolicy = .error
    /// The stores that new objects were assigned to, by their temporary keys.
    final var assignedStores: [Int64: NSPersistentStore] = [:]
    private var extraStrong: [ObjectIdentifier: NSManagedObject] = [:]
    /// Contexts that work on this one.
    let children = ChildContexts()
    /// What its parent has sent to it.
    let arrivals = Arrivals()
    /// A parent's save is being merged, and the parent must not be asked for anything.
    final var isTakingArrivals = false
    private let info = NSMutableDictionary()
    /// What others know this context by who do not keep it alive.
    let weakReference = WeakReference<NSManagedObjectContext>()
    /// Pending changes are being processed; a nested call has nothing to do.
    var isProcessing = false
    var isSaving = false
    /// The sets that the running save has announced; most often it announces them twice.
    var announced: [NotificationInfo.Announced] = []
    /// Writes down what is to be undone; nil without an undo manager.
    final var undoRecorder: UndoRecorder? {
        didSet { identityMap?.undoRecorder = undoRecorder }
    }
    /// The subscription to the undo manager's checkpoints.
    final var checkpointObserver: (any NSObjectProtocol)?
    /// How many contexts are above this one.
    final var nesting = 0
    /// Which state of the stores is read; see `setQueryGenerationFrom(_:)`.
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
        checksAccess = LaunchArguments.process.concurrencyDebug == true
    }

    /// Creates a context with a queue of the given type and neither coordinator nor parent.
    public convenience init(_ type: ConcurrencyType) {
        self.init(concurrencyType: type.rawValue)
    }

    /// Refused: makes a context of the confinement type, which no longer exists.
    @available(*, deprecated, message: "Use init(_:) with a queue type.")
    public convenience override init() {
        self.init(concurrencyType: .confinementConcurrencyType)
    }

    /// Creates a context on a queue of the caller's making.
    package init(
        concurrencyType: NSManagedObjectContextConcurrencyType, queue: any ConfinementQueue
    ) {
        type = concurrencyType
        self.queue = queue
        super.init()
        weakReference.set(self)
        checksAccess = true
    }

    /// The context that stands for "no context yet"; see `Materialization`.
    init(marker: Void) {
        type = .privateQueueConcurrencyType
        queue = SteppedQueue(label: "none")
        super.init()
    }

    deinit {
        weakReference.clear()
        if let undoManager { stopUndo(undoManager) }
        if let identityMap {
            identityMap.setContext(nil)
            // Objects that know each other through a relationship and its inverse would keep each
            // other alive for ever. Without a context they can follow neither any more.
            for object in identityMap.all { object.relationships = nil }
        }
        if case .coordinator(let coordinator) = attachment { coordinator.removeMerger(self) }
    }

    /// Whether every access to an object is checked against the queue.
    @exclusivity(unchecked) package private(set) var checksAccess = false

    // MARK: Free to use from any thread

    /// The kind of queue the context works on.
    public final var concurrencyType: NSManagedObjectContextConcurrencyType { type }

    /// A name for logs; also the label of a private queue.
    open var name: String? {
        didSet { if let name { queue.label = name } }
    }

    /// The program's own values.
    public final var userInfo: NSMutableDictionary { info }

    // MARK: Parent and coordinator

    /// The coordinator the context saves to; for a child, that of its root.
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
        if automaticallyMergesChangesFromParent { coordinator.addMerger(self) }
    }

    package func attach(toParent parent: NSManagedObjectContext?) throws(CoreDataError) {
        switch attachment {
        case .none: break
        case .coordinator:
            if parent != nil { throw Self.attached("a coordinator", instead: "a parent") }
        case .parent(let known):
            if known === parent { return }
            if parent != nil { throw Self.attached("a parent", instead: "another one") }
            try detach()
            known.children.remove(self)
        }
        guard let parent else { return }
        guard let binding = parent.identityMap?.binding else {
            throw CoreDataError(
                .invalidArgument,
                "The parent context has neither a coordinator nor a parent of its own. Give it one"
                    + " before making it a parent.")
        }
        attachment = .parent(parent)
        knownSource = ParentSource(parent)
        nesting = parent.nesting + 1
        parent.children.add(self)
        let coordinator = parent.persistentStoreCoordinator
        trace = parent.trace
        makeRegistry(binding, nil) { [weak coordinator] in
            coordinator?.storeIfAny(for: $0, key: $1)
        }
    }

    /// Lets go of coordinator or parent, which nothing may depend on.
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
        // A state of stores that the context may not have any more.
        queryPin = .newest
        nesting = 0
    }

    private static func attached(_ what: String, instead other: String) -> CoreDataError {
        CoreDataError(
            .invalidArgument,
            "Context already has \(what); cannot replace it by \(other). Make another context.")
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
        assert(identityMap?.count ?? 0 == 0, "objects would lose the map that knows them")
        identityMap?.setContext(nil)
        identityMap = made
    }

    /// The identity map. A context without coordinator and parent has none.
    package final var registry: ObjectRegistry {
        orTrap { () throws(CoreDataError) in try requireRegistry() }
    }

    final func requireRegistry() throws(CoreDataError) -> ObjectRegistry {
        if let identityMap { return identityMap }
        throw CoreDataError(
            .invalidArgument,
            "The context has neither a coordinator nor a parent. Set persistentStoreCoordinator or"
                + " parent first.")
    }

    final var binding: ModelBinding { registry.binding }

    /// What the context reads from.
    final var source: any ObjectSource {
        if StoreClasses.areOpen { RequestingContext.note(self) }
        if let knownSource { return knownSource }
        trap(CoreDataError(.invalidArgument, "The context has no coordinator."))
    }

    /// Where the context's events go; nowhere before there is a coordinator.
    final private(set) var trace = Trace()

    /// Reads from elsewhere from now on: from a generation of the coordinator's, or from itself.
    final func read(
        from source: any CachedRowReading, of coordinator: NSPersistentStoreCoordinator
    ) {
        knownSource = source
        identityMap?.faultRoute = Kept(FaultRoute(source, coordinator.faultPoints))
    }

    // MARK: Settings

    /// How conflicts of this context's saves are resolved; one of Core Data's five policies or
    /// an instance of a subclass of `NSMergePolicy`.
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

    final var currentPolicy: NSMergePolicy { policy }

    /// Whether saves of siblings (or of the parent, for a child) are merged in by themselves, on
    /// the context's queue, some time after the save.
    open var automaticallyMergesChangesFromParent = false {
        didSet {
            guard case .coordinator(let coordinator) = attachment else { return }
            if automaticallyMergesChangesFromParent {
                coordinator.addMerger(self)
            } else {
                coordinator.removeMerger(self)
            }
        }
    }

    /// Whether relationships of deleted objects are dealt with when pending changes are
    /// processed (the default) or only at the save.
    open var propagatesDeletesAtEndOfEvent = true

    /// Whether an object whose row turns out to be gone becomes a deleted one (the default) or
    /// the access traps.
    open var shouldDeleteInaccessibleFaults = true

    /// How old a cached row may be, in seconds, when a fault is fired or an object refreshed;
    /// negative (the default) accepts any.
    open var stalenessInterval: TimeInterval = -1 {
        didSet { identityMap?.acceptsAnyAge = takesRowsOfAnyAge }
    }

    /// A child asks its parent, who may have changed the object.
    private var takesRowsOfAnyAge: Bool { stalenessInterval < 0 && parent == nil }

    /// Whether the context keeps every registered object alive.
    open var retainsRegisteredObjects = false {
        didSet {
            extraStrong = [:]
            identityMap?.retainsObjects = retainsRegisteredObjects
            guard retainsRegisteredObjects, let identityMap else { return }
            for object in identityMap.all { retain(object) }
        }
    }

    /// What remembers the context's changes for ``undo()``; nil (the default) for nothing.
    ///
    /// The changes of one event are one action of it; it keeps the objects that were changed. A
    /// nested context has a manager of its own, and its save is an action of its parent's.
    open var undoManager: UndoManager? {
        didSet { changeUndoManager(from: oldValue) }
    }

    /// The author of the context's saves.
    open var transactionAuthor: String?

    // MARK: Parts used by collaborators

    final func retain(_ object: NSManagedObject) { extraStrong[ObjectIdentifier(object)] = object }

    final func releaseRetained() { extraStrong = [:] }

    /// Rows cached before this are too old; nil when every row is young enough.
    final var oldestAcceptable: Double? {
        stalenessInterval < 0 ? nil : Date().timeIntervalSinceReferenceDate - stalenessInterval
    }

    final func accepts(_ block: RowBlock) -> Bool {
        stalenessInterval < 0 || block.timestamp >= oldestAcceptable ?? 0
    }

    /// Fails when the calling thread does not run a block of this context.
    package final func checkConfined(_ what: String) throws(CoreDataError) {
        if queue.isCurrent { return }
        throw CoreDataError(
            .wrongQueue,
            "\(what) of the context '\(name ?? "unnamed")' was used off"
                + " the context's queue. Wrap the access in perform or performAndWait."
                + " (__Multithreading_Violation_AllThatIsLeftToUsIsHonor__)")
    }

    /// An override point for what happens when a fault's row is gone.
    ///
    /// - Returns: true to make the object a deleted one, false to fail.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID,
        triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        shouldDeleteInaccessibleFaults
    }
}

// `@unchecked Sendable` because everything but the immutable fields is used only on the
// context's queue, which the verbs check (`checkConfined`).
extension NSManagedObjectContext: @unchecked Sendable {}

/// The contexts that have this one as their parent.
final class ChildContexts {
    private var contexts: [WeakReference<NSManagedObjectContext>] = []

    func add(_ context: NSManagedObjectContext) {
        contexts.removeAll { $0.isGone(or: context) }
        contexts.append(context.weakReference)
    }

    func remove(_ context: NSManagedObjectContext) {
        contexts.removeAll { $0.isGone(or: context) }
    }

    var alive: [NSManagedObjectContext] { contexts.compactMap(\.target) }

    var isEmpty: Bool { !contexts.contains { $0.target != nil } }
}
