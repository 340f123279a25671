import CoreDataModel
import CoreDataTrace
import Foundation
import Synchronization

/// Mediates between contexts and stores: routes requests, shares rows, and keeps saves apart.
///
/// A coordinator may be used from any thread. Saves of its contexts are serialised from the
/// conflict check to the row cache's update; reads run beside them.
public final class NSPersistentStoreCoordinator: NSObject {
    /// The model and its layout.
    package let frozenModel: FrozenModel
    package let opening: any BackendOpening
    /// Tells what this stack does.
    package let trace = Trace()
    package let rowCache: RowCache
    /// Where operations of this stack can be made to fail.
    package let faultPoints = FaultPoints()
    private let stores = Mutex(Stores())
    private let observers = Mutex(Observers())
    /// Held while a save checks, writes and updates the row cache; never while callbacks run.
    let saveLock = NSRecursiveLock()
    package let queue: any ConfinementQueue
    private let displayName = Mutex<String?>(nil)
    /// Told where a fault cannot be fired.
    let faultFailures = Mutex<(@Sendable (FaultFailure) -> FaultFailureResponse)?>(nil)

    private struct Stores {
        var all: [NSPersistentStore] = []
        /// By layout index of the entity, in the order in which they were added.
        var byEntity: [[NSPersistentStore]] = []
    }

    private struct Observers {
        /// Those who merge what others save by themselves.
        var mergers = WeakObservers()
        /// All root contexts of this coordinator.
        var roots = WeakObservers()
    }

    /// Creates a coordinator without stores.
    package init(model: FrozenModel, opening: any BackendOpening) {
        frozenModel = model
        self.opening = opening
        rowCache = RowCache(layout: model.layout)
        queue = DispatchConfinementQueue(label: "coordinator", trace: trace)
        super.init()
        stores.withLock {
            $0.byEntity = Array(repeating: [], count: model.layout.entities.count)
        }
        if let log = SQLLog.process { trace.add(log) }
    }

    /// The model, frozen.
    public var managedObjectModel: NSManagedObjectModel { frozenModel.model }

    /// A name for logs.
    public var name: String? {
        get { displayName.withLock { $0 } }
        set { displayName.withLock { $0 = newValue } }
    }

    /// The stores in the order in which they were added.
    public var persistentStores: [NSPersistentStore] { stores.withLock { $0.all } }

    // MARK: Stores

    package func register(_ store: NSPersistentStore) throws(CoreDataError) {
        try stores.withLock { stores throws(CoreDataError) in
            assert(!stores.all.contains { $0 === store }, "a store is added once")
            if stores.all.contains(where: { $0.storeIdentifier == store.storeIdentifier }) {
                throw CoreDataError(
                    .storeOpen,
                    "The store '\(store.url?.path ?? store.storeIdentifier)' is in this coordinator"
                        + " already: two stores cannot have one UUID.")
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

    /// A tag that no store has which shares an entity.
    private func freeTag(
        for store: NSPersistentStore, beside sharing: [NSPersistentStore]
    ) throws(CoreDataError) -> StoreTag {
        if let custom = (sharing + [store]).first(where: \.isCustom) {
            throw CoreDataError(
                .unsupported,
                "The custom store '\(custom.identifier ?? "")' would share entities with another"
                    + " store of this coordinator. Give the stores configurations without common"
                    + " entities.")
        }
        let taken = sharing.map(\.tag)
        let free = (0..<StoreTag.count).lazy.map { StoreTag(number: $0) }
            .first { !taken.contains($0) }
        if let free { return free }
        throw CoreDataError(
            .unsupported, "A coordinator has \(StoreTag.count) stores of one entity at most.")
    }

    package func unregister(_ store: NSPersistentStore) -> Bool {
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
    package func stores(of entity: EntityLayout) -> [NSPersistentStore] {
        stores.withLock { $0.byEntity[entity.index] }
    }

    /// The store that has a row of the entity; for a new object the first that can be written.
    package func storeIfAny(for entity: EntityLayout, key: Int64) -> NSPersistentStore? {
        stores.withLock { stores in
            let keeping = stores.byEntity[entity.index]
            if keeping.count < 2 { return keeping.first }
            if key < 0 { return keeping.first { !$0.isReadOnly } ?? keeping.first }
            let tag = StoreTag(of: key)
            return keeping.first { $0.tag == tag }
        }
    }

    /// The store that a new object of the entity is saved to, unless it was assigned to another.
    package func requireStore(
        for entity: EntityLayout, key: Int64 = -1
    ) throws(CoreDataError) -> NSPersistentStore {
        if let store = storeIfAny(for: entity, key: key) { return store }
        throw noStore(for: entity)
    }

    package func noStore(for entity: EntityLayout) -> CoreDataError {
        CoreDataError(
            .storeOperation,
            persistentStores.isEmpty
                ? "This coordinator has no persistent stores. Add one before fetching or saving."
                : "No store of this coordinator keeps the entity '\(entity.name)'. Add one whose"
                    + " configuration has it.")
    }

    // MARK: Observers

    package func addRoot(_ observer: some CoordinatorObserver) {
        observers.withLock { $0.roots.add(observer) }
    }

    package func removeRoot(_ observer: some CoordinatorObserver) {
        observers.withLock { $0.roots.remove(observer) }
    }

    /// Tells the roots that the store's objects have lost it.
    package func noteRemoved(_ store: NSPersistentStore) {
        for root in observers.withLock({ $0.roots.alive }) { root.noteRemoved(store) }
    }

    package func addMerger(_ observer: some CoordinatorObserver) {
        observers.withLock { $0.mergers.add(observer) }
    }

    package func removeMerger(_ observer: some CoordinatorObserver) {
        observers.withLock { $0.mergers.remove(observer) }
    }

    /// Those who merge what others save by themselves.
    package func mergers(beside saver: some CoordinatorObserver) -> [any CoordinatorObserver] {
        observers.withLock { $0.mergers.alive }.filter { $0 !== saver }
    }
}

// `@unchecked Sendable` because stores, observers and name stand behind mutexes, and the rest is
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
