import CoreData
import CoreDataEngine
import CoreDataStore
import CoreDataTrace

/// The stores of an exploration of code: made once, filled by its set-ups, and put back before each
/// schedule.
final class CodeStores {
    private struct Kept {
        let model: NSManagedObjectModel
        let coordinator: NSPersistentStoreCoordinator
        let store: any RewindableStore
        /// The store behind the last set-up.
        var image: StoreMark
    }

    private var kept: [Kept] = []
    /// What each set-up has returned.
    private var results: [Any] = []

    /// How many coordinators there are.
    var count: Int { kept.count }

    /// The coordinator of the body's n-th stack.
    func coordinator(
        _ index: Int, model: NSManagedObjectModel
    ) throws -> NSPersistentStoreCoordinator {
        if index < kept.count { return kept[index].coordinator }
        // The store outlives the schedule whose thread asks for it: it belongs to no scope.
        let outer = ConfinementScope.current
        ConfinementScope.current = nil
        defer { ConfinementScope.current = outer }
        let coordinator = try StoreTemplate.openImage(nil, model: model, tracksHistory: true)
        guard let store = try coordinator.persistentStores.first?.rewindable() else {
            throw CodeError.unusable("the store in memory was not opened")
        }
        kept.append(
            Kept(
                model: model, coordinator: coordinator, store: store,
                image: try store.mark()))
        return coordinator
    }

    /// Has a stage hear the stacks of all schedules.
    func listen(_ stage: CodeStage) {
        if kept.count > 1 { stage.touched.coarsen() }
        for (index, kept) in kept.enumerated() {
            kept.coordinator.trace.add(
                CodeListener(
                    stage, prefix: CodeListener.prefix(index),
                    layout: kept.coordinator.frozenModel.layout))
        }
    }

    /// Has a listener hear the stacks of all schedules, or no more.
    func listen(_ sink: any EventSink) {
        for kept in kept { kept.coordinator.trace.add(sink) }
    }

    func leave(_ sink: any EventSink) {
        for kept in kept { kept.coordinator.trace.remove(sink) }
    }

    /// The coordinators of all schedules.
    var coordinators: [NSPersistentStoreCoordinator] { kept.map(\.coordinator) }

    /// Puts every store back to what the set-ups have made of it.
    func reset() throws(CoreDataError) {
        for kept in kept {
            try kept.store.rewind(to: kept.image)
            kept.coordinator.rowCache.removeAll()
        }
    }

    /// Runs a set-up, or gives what it has returned when it ran.
    func setUp<T>(_ index: Int, _ body: () throws -> T) throws -> T {
        if index < results.count {
            guard let known = results[index] as? T else {
                throw CodeError.notDeterministic("set-up \(index + 1) is another one now")
            }
            return known
        }
        let result = try body()
        if result is NSManagedObject {
            throw CodeError.unusable(
                "lab.setup returns a managed object, whose context is gone when the sessions run;"
                    + " return its objectID")
        }
        results.append(result)
        for index in kept.indices { kept[index].image = try kept[index].store.mark() }
        return result
    }
}
