import CoreDataModel
import CoreDataStore

/// The query generation of a context.
enum QueryPin {
    case newest
    /// The context is pinned to a state of the stores. After each save, reset and merge, it moves
    /// to the newest state.
    case renewed(QueryGeneration)
    /// The context is pinned to the state of a token that the program passed. After the next save,
    /// reset or merge, the context reads the newest rows again.
    case fixed(QueryGeneration)

    var generation: QueryGeneration? {
        switch self {
        case .newest: nil
        case .renewed(let generation), .fixed(let generation): generation
        }
    }
}

/// Pins a context to one state of the stores.
extension NSManagedObjectContext {

    package final func pin(to token: NSQueryGenerationToken?) throws(CoreDataError) {
        try checkConfined("setQueryGenerationFrom(_:)")
        guard parent == nil else {
            throw CoreDataError(
                .invalidArgument,
                "A child context reads the state that its parent reads. Pin the parent.")
        }
        guard let coordinator = persistentStoreCoordinator else {
            throw CoreDataError(
                .invalidArgument,
                "The context has no coordinator. Set persistentStoreCoordinator first.")
        }
        notifyWatcher(.pinned)
        guard let token else {
            setPin(.newest, coordinator)
            return emit(.unpinned)
        }
        if let generation = token.generation {
            try generation.check(for: coordinator)
            setPin(.fixed(generation), coordinator)
            return emit(.pinned(generation, isShared: true))
        }
        for store in coordinator.persistentStores
        where !store.backend.traits.contains(.heldState) {
            throw QueryGeneration.unsupported(store)
        }
        let generation = QueryGeneration(of: coordinator)
        setPin(.renewed(generation), coordinator)
        emit(.pinned(generation, isShared: false))
    }

    /// Moves to the newest state, after a save, a reset or a merge.
    final func advanceGeneration() {
        guard queryPin.generation != nil, let coordinator = persistentStoreCoordinator else {
            return
        }
        if case .renewed = queryPin {
            setPin(.renewed(QueryGeneration(of: coordinator)), coordinator)
        } else {
            setPin(.newest, coordinator)
        }
        emit(.movedOn(queryPin.generation))
    }

    final func setPin(_ pin: QueryPin, _ coordinator: NSPersistentStoreCoordinator) {
        assert(parent == nil, "a child context was pinned")
        queryPin = pin
        if let generation = pin.generation {
            read(from: generation, of: coordinator)
        } else {
            read(from: coordinator, of: coordinator)
        }
    }

    /// The generation of the row cache that the rows of the running save will have.
    final var generationAfterSave: UInt64 {
        guard parent == nil else { return ParentSource.unsaved }
        guard queryPin.generation != nil, let coordinator = persistentStoreCoordinator else {
            return source.generation &+ 1
        }
        return coordinator.generation &+ 1
    }
}
