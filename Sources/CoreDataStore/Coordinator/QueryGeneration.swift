import CoreDataModel
import CoreDataTrace
import Foundation
import Synchronization

/// The state of a coordinator's stores at the first read, with a separate row cache.
///
/// A pinned context reads its rows through the generation, and tokens refer to it. The last
/// reference to the generation releases the stores' state.
package final class QueryGeneration {
    /// The number of the last generation. Generation numbers are higher than the change counts of
    /// row caches. So a row from outside a generation never counts as current in it.
    private static let last = Atomic<UInt64>(1 << 63)

    private let coordinator: NSPersistentStoreCoordinator
    package let rowCache: RowCache
    private let held = Mutex<Held?>(nil)

    private struct Held {
        var stores: [HeldStore] = []
        /// The store of each entity, by the entity's layout index.
        var byEntity: ContiguousArray<(any StoreReading)?>
    }

    private struct HeldStore {
        weak var store: NSPersistentStore?
        let state: any ObjectStore
        let tag: StoreTag
    }

    package init(of coordinator: NSPersistentStoreCoordinator) {
        self.coordinator = coordinator
        let number = Self.last.add(1, ordering: .relaxed).newValue
        assert(
            coordinator.generation < 1 << 63,
            "a coordinator's change count has reached the range of query generations")
        rowCache = RowCache(layout: coordinator.frozenModel.layout, generation: number)
    }

    deinit {
        for held in held.withLock({ $0?.stores }) ?? [] { held.state.close() }
    }

    /// Whether the first read has taken place.
    package var isHeld: Bool { held.withLock { $0 != nil } }

    /// - Throws: `invalidArgument` if the state belongs to another coordinator, or to a removed
    ///   store.
    package func check(for coordinator: NSPersistentStoreCoordinator) throws(CoreDataError) {
        guard coordinator === self.coordinator else {
            throw CoreDataError(
                .invalidArgument,
                "The query generation belongs to another coordinator. Use a generation of the"
                    + " context's coordinator, or NSQueryGenerationToken.current.")
        }
        let isGone = held.withLock { held in
            (held?.stores ?? []).contains { $0.store?.persistentStoreCoordinator == nil }
        }
        guard !isGone else {
            throw CoreDataError(
                .invalidArgument,
                "The query generation has expired: a store that it holds was removed. Use"
                    + " NSQueryGenerationToken.current.")
        }
    }

    /// Returns the store of an entity in the state of this generation. The first call begins a read
    /// transaction in every store, with two statements each.
    private func heldStore(of entity: Int) throws(CoreDataError) -> (any StoreReading)? {
        try held.withLock { held throws(CoreDataError) in
            if let held { return held.byEntity[entity] }
            let made = try holdAll()
            held = made
            return made.byEntity[entity]
        }
    }

    /// The state of a store in which a pinned context saves; nil if the save is a transaction of
    /// its own, because the store cannot save in an earlier state, or because nothing was read.
    package func writer(of store: NSPersistentStore) -> (any ObjectStore)? {
        guard store.backend.traits.contains(.heldSaves) else { return nil }
        return held.withLock { $0?.stores.first { $0.store === store }?.state }
    }

    private func holdAll() throws(CoreDataError) -> Held {
        var made = Held(
            byEntity: ContiguousArray(repeating: nil, count: modelLayout.entities.count))
        do throws(CoreDataError) {
            for store in coordinator.persistentStores {
                guard let state = try store.keyed.holdState() else {
                    throw Self.unsupported(store)
                }
                made.stores.append(HeldStore(store: store, state: state, tag: store.tag))
            }
        } catch {
            for held in made.stores { held.state.close() }
            throw error
        }
        for entity in modelLayout.entities {
            let keeping = made.stores.filter {
                $0.store?.entityIndexes.contains(entity.index) == true
            }
            made.byEntity[entity.index] =
                keeping.count < 2
                ? keeping.first?.state
                : JoinedStores(keeping.map { ($0.tag, $0.state) }, layout: modelLayout)
        }
        assert(
            Set(made.stores.map { ObjectIdentifier($0.state) }).count == made.stores.count,
            "two stores share one state")
        return made
    }

    /// The error for pinning a context to the state of a store that cannot keep an earlier state.
    package static func unsupported(_ store: NSPersistentStore) -> CoreDataError {
        CoreDataError(
            .storeUnsupportedRequest,
            "The \(store.type) store \(store.url?.path ?? "in memory") keeps no query generations."
                + " Use a SQLite store in a file with journal_mode wal, or leave the context"
                + " unpinned.")
    }
}

// `@unchecked Sendable` because a mutex guards the state of the stores, and all other fields are
// immutable.
extension QueryGeneration: @unchecked Sendable {}

extension QueryGeneration: CachedRowReading {
    package var modelLayout: ModelLayout { coordinator.frozenModel.layout }

    package func store(for entity: EntityLayout, key: Int64) -> NSPersistentStore? {
        coordinator.storeIfAny(for: entity, key: key)
    }

    package func stores(of entity: EntityLayout) -> [NSPersistentStore] {
        coordinator.stores(of: entity)
    }

    package func reader(for entity: EntityLayout) throws(CoreDataError) -> any StoreReading {
        if let found = try heldStore(of: entity.index) { return found }
        throw CoreDataError(
            .storeOperation,
            "No store of the context's query generation keeps the entity '\(entity.name)'. A store"
                + " that was added later is seen after setQueryGenerationFrom(.current).")
    }
}
