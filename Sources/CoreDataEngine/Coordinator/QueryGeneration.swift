import CoreDataModel
import CoreDataTrace
import Foundation
import Synchronization

/// The stores of a coordinator as they were at one moment, with a row cache of their own.
///
/// Contexts that are pinned to it read through it; tokens name it. The moment is the first read.
/// It lets go of the stores' state when nobody refers to it any more.
package final class QueryGeneration {
    /// Unlike every change count of a coordinator's row cache, so that no row read elsewhere
    /// counts as current here.
    private static let last = Atomic<UInt64>(1 << 63)

    private let coordinator: NSPersistentStoreCoordinator
    let rowCache: RowCache
    private let held = Mutex<[HeldStore]?>(nil)

    private struct HeldStore {
        weak var store: NSPersistentStore?
        let entityIndexes: Set<Int>
        let state: any ObjectStore
    }

    package init(of coordinator: NSPersistentStoreCoordinator) {
        self.coordinator = coordinator
        let number = Self.last.add(1, ordering: .relaxed).newValue
        rowCache = RowCache(layout: coordinator.binding.layout, generation: number)
    }

    deinit {
        for held in held.withLock({ $0 }) ?? [] { held.state.close() }
    }

    /// Whether anything was read yet.
    package var isHeld: Bool { held.withLock { $0 != nil } }

    /// - Throws: `invalidArgument` where the state is of another coordinator, or of a store that
    ///   is gone.
    package func check(for coordinator: NSPersistentStoreCoordinator) throws(CoreDataError) {
        guard coordinator === self.coordinator else {
            throw CoreDataError(
                .invalidArgument,
                "The query generation belongs to another coordinator. Use one of the context's own"
                    + " coordinator, or NSQueryGenerationToken.current.")
        }
        let isGone = held.withLock { held in
            (held ?? []).contains { $0.store?.persistentStoreCoordinator == nil }
        }
        guard !isGone else {
            throw CoreDataError(
                .invalidArgument,
                "The query generation has expired: a store that it holds was removed. Use"
                    + " NSQueryGenerationToken.current.")
        }
    }

    /// Takes hold of every store, at the first call. Two statements for each store.
    private func hold() throws(CoreDataError) -> [HeldStore] {
        let result = held.withLock { held -> Result<[HeldStore], CoreDataError> in
            if let held { return .success(held) }
            do throws(CoreDataError) {
                let made = try Self.holdAll(coordinator.persistentStores)
                held = made
                return .success(made)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func holdAll(
        _ stores: [NSPersistentStore]
    ) throws(CoreDataError) -> [HeldStore] {
        var made: [HeldStore] = []
        do throws(CoreDataError) {
            for store in stores {
                guard let state = try store.backend.holdState() else {
                    throw unsupported(store)
                }
                made.append(
                    HeldStore(store: store, entityIndexes: store.entityIndexes, state: state))
            }
        } catch {
            for held in made { held.state.close() }
            throw error
        }
        return made
    }

    /// Why a store keeps no earlier state.
    static func unsupported(_ store: NSPersistentStore) -> CoreDataError {
        CoreDataError(
            .storeUnsupportedRequest,
            "The \(store.type) store \(store.url?.path ?? "in memory") keeps no query generations."
                + " Use a SQLite store in a file with journal_mode wal, or leave the context"
                + " unpinned.")
    }
}

// `@unchecked Sendable` because what the stores hold stands behind a mutex and the rest is fixed.
extension QueryGeneration: @unchecked Sendable {}

extension QueryGeneration: CachedRowReading {
    var modelLayout: ModelLayout { coordinator.binding.layout }

    package func store(for entity: EntityLayout) -> NSPersistentStore? {
        coordinator.storeIfAny(for: entity)
    }

    func reader(for entity: EntityLayout) throws(CoreDataError) -> any ObjectStore {
        let all = try hold()
        if let found = all.first(where: { $0.entityIndexes.contains(entity.index) }) {
            return found.state
        }
        throw CoreDataError(
            .storeOperation,
            "No store of the context's query generation keeps the entity '\(entity.name)'. A store"
                + " that was added later is seen after setQueryGenerationFrom(.current).")
    }
}
