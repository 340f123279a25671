import CRuntimeShims
import CoreDataModel
import CoreDataTrace
import Foundation
import Synchronization

/// Mediates between contexts and stores: routes requests, shares rows, and keeps saves apart.
///
/// A coordinator may be used from any thread. Saves of its contexts are serialised from the
/// conflict check to the row cache's update; reads run beside them.
public final class NSPersistentStoreCoordinator: NSObject {
    package let binding: ModelBinding
    /// Tells what this stack does.
    package let trace = Trace()
    package let rowCache: RowCache
    /// Where operations of this stack can be made to fail.
    package let faultPoints = FaultPoints()
    private let stores = Mutex(Stores())
    private let listeners = Mutex(Listeners())
    /// Held while a save checks, writes and updates the row cache; never while callbacks run.
    let saveLock = NSRecursiveLock()
    let queue: any ConfinementQueue
    private let displayName = Mutex<String?>(nil)
    /// Told where a fault cannot be fired.
    let faultFailures = Mutex<(@Sendable (FaultFailure) -> FaultFailureResponse)?>(nil)

    private struct Stores {
        var all: [NSPersistentStore] = []
        /// By layout index of the entity.
        var byEntity: [NSPersistentStore?] = []
    }

    private struct Listeners {
        var contexts: [WeakContext] = []
        /// All root contexts of this coordinator.
        var roots: [WeakContext] = []
    }

    /// Creates a coordinator and freezes the model.
    ///
    /// Traps with all findings when the model is not valid; ``make(model:)`` throws instead.
    public convenience init(managedObjectModel model: NSManagedObjectModel) {
        let binding = orTrap { () throws(CoreDataError) in try ModelBinding.of(model) }
        self.init(binding: binding)
    }

    /// Creates a coordinator, or says what is wrong with the model.
    package static func make(
        model: NSManagedObjectModel
    ) throws(CoreDataError) -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(binding: try ModelBinding.of(model))
    }

    private init(binding: ModelBinding) {
        self.binding = binding
        rowCache = RowCache(layout: binding.layout)
        queue = DispatchConfinementQueue(label: "coordinator", trace: trace)
        super.init()
        stores.withLock {
            $0.byEntity = Array(repeating: nil, count: binding.layout.entities.count)
        }
        if let log = SQLLog.process { trace.add(log) }
    }

    /// The model, frozen.
    public var managedObjectModel: NSManagedObjectModel { binding.model }

    /// A name for logs.
    public var name: String? {
        get { displayName.withLock { $0 } }
        set { displayName.withLock { $0 = newValue } }
    }

    /// The stores in the order in which they were added.
    public var persistentStores: [NSPersistentStore] { stores.withLock { $0.all } }

    // MARK: Stores

    func register(_ store: NSPersistentStore) throws(CoreDataError) {
        let taken = stores.withLock { stores -> Int? in
            for index in store.entityIndexes where stores.byEntity[index] != nil { return index }
            stores.all.append(store)
            for index in store.entityIndexes { stores.byEntity[index] = store }
            return nil
        }
        guard let taken else { return }
        throw CoreDataError(
            .unsupported,
            "The entity '\(binding.layout[taken].name)' is kept by another store of this"
                + " coordinator already. Give the stores configurations without common entities.")
    }

    func unregister(_ store: NSPersistentStore) -> Bool {
        defer { rowCache.noteStores() }
        return stores.withLock { stores in
            guard let index = stores.all.firstIndex(where: { $0 === store }) else { return false }
            stores.all.remove(at: index)
            for entity in store.entityIndexes { stores.byEntity[entity] = nil }
            return true
        }
    }

    package func storeIfAny(for entity: EntityLayout) -> NSPersistentStore? {
        stores.withLock { $0.byEntity[entity.index] }
    }

    func requireStore(for entity: EntityLayout) throws(CoreDataError) -> NSPersistentStore {
        if let store = storeIfAny(for: entity) { return store }
        throw CoreDataError(
            .storeOperation,
            persistentStores.isEmpty
                ? "This coordinator has no persistent stores. Add one before fetching or saving."
                : "No store of this coordinator keeps the entity '\(entity.name)'. Add one whose"
                    + " configuration has it.")
    }

    // MARK: Contexts

    func addRoot(_ context: NSManagedObjectContext) {
        listeners.withLock {
            $0.roots.removeAll { $0.isGone(or: context) }
            $0.roots.append(context.weakReference)
        }
    }

    func removeRoot(_ context: NSManagedObjectContext) {
        listeners.withLock { $0.roots.removeAll { $0.isGone(or: context) } }
    }

    /// Tells the contexts that the store's objects have lost it.
    func noteRemoved(_ store: NSPersistentStore) {
        for root in listeners.withLock({ $0.roots.compactMap(\.context) }) {
            root.noteRemoved(store)
        }
    }

    // MARK: Contexts that merge by themselves

    func addListener(_ context: NSManagedObjectContext) {
        listeners.withLock {
            $0.contexts.removeAll { $0.isGone(or: context) }
            $0.contexts.append(context.weakReference)
        }
    }

    func removeListener(_ context: NSManagedObjectContext) {
        listeners.withLock {
            $0.contexts.removeAll { $0.isGone(or: context) }
        }
    }

    /// The contexts that merge what others save by themselves.
    func listeners(beside saver: NSManagedObjectContext) -> [NSManagedObjectContext] {
        listeners.withLock { $0.contexts.compactMap(\.context) }.filter { $0 !== saver }
    }
}

/// A reference to a context that does not keep it alive.
///
/// A `weak` one would make retaining the context slower for as long as it lives, and each new
/// object of the context is made with it as an argument. The context clears it in its `deinit`.
final class WeakContext: Sendable {
    private let address = Mutex<UInt>(0)

    /// The context; nil once it is being released.
    var context: NSManagedObjectContext? {
        address.withLock { address in
            guard let pointer = UnsafeMutableRawPointer(bitPattern: address),
                faultline_try_retain(pointer)
            else { return nil }
            return Unmanaged<NSManagedObjectContext>.fromOpaque(pointer).takeRetainedValue()
        }
    }

    /// Whether the context has gone, or is that one. Retains nothing: whoever asks under a lock
    /// would else be the one who ends the context, whose `deinit` takes that lock.
    func isGone(or context: NSManagedObjectContext) -> Bool {
        let other = UInt(bitPattern: Unmanaged.passUnretained(context).toOpaque())
        return address.withLock { $0 == 0 || $0 == other }
    }

    func set(_ context: NSManagedObjectContext) {
        let pointer = Unmanaged.passUnretained(context).toOpaque()
        address.withLock { $0 = UInt(bitPattern: pointer) }
    }

    func clear() { address.withLock { $0 = 0 } }
}

// `@unchecked Sendable` because stores, listeners and name stand behind mutexes, and the rest is
// immutable and Sendable itself.
extension NSPersistentStoreCoordinator: @unchecked Sendable {}

/// The ids that one save wrote, as they travel to other contexts.
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
