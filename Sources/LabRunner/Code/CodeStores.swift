import CoreData
import CoreDataEngine
import CoreDataStore
import CoreDataTrace

/// The stores of an exploration of code. The lab creates and fills them once. Before each schedule
/// it restores these contents.
final class CodeStores {
    private struct Kept {
        let model: NSManagedObjectModel
        let coordinator: NSPersistentStoreCoordinator
        let opened: NSPersistentStore
        let store: any RewindableStore
        var image: StoreMark
    }

    private var kept: [Kept] = []
    /// The value that each set-up has returned; nil for a set-up that runs before each schedule.
    private var results: [Any?] = []

    var count: Int { kept.count }

    /// The coordinator of the n-th stack that the body declares.
    func coordinator(
        _ index: Int, model: NSManagedObjectModel
    ) throws -> NSPersistentStoreCoordinator {
        if index < kept.count { return kept[index].coordinator }
        // The store outlives the schedule that created it, so it does not belong to a scope.
        let outer = ConfinementScope.current
        ConfinementScope.current = nil
        defer { ConfinementScope.current = outer }
        let coordinator = try StoreTemplate.openImage(nil, model: model, tracksHistory: true)
        guard let opened = coordinator.persistentStores.first else {
            throw CodeError.unusable("the store in memory was not opened")
        }
        let store = try opened.rewindable()
        kept.append(
            Kept(
                model: model, coordinator: coordinator, opened: opened, store: store,
                image: try store.mark()))
        return coordinator
    }

    func listen(_ stage: CodeStage) {
        if kept.count > 1 { stage.touched.coarsen() }
        for (index, kept) in kept.enumerated() {
            kept.coordinator.trace.add(
                CodeListener(
                    stage, prefix: CodeListener.prefix(index),
                    layout: kept.coordinator.frozenModel.layout))
        }
    }

    /// Makes a listener receive the events of all stacks until ``leave(_:)`` is called.
    func listen(_ sink: any EventSink) {
        for kept in kept { kept.coordinator.trace.add(sink) }
    }

    func leave(_ sink: any EventSink) {
        for kept in kept { kept.coordinator.trace.remove(sink) }
    }

    var coordinators: [NSPersistentStoreCoordinator] { kept.map(\.coordinator) }

    func reset() throws(CodeError) {
        for kept in kept {
            guard kept.coordinator.persistentStores == [kept.opened] else {
                throw .unusable(
                    "the code adds or removes a store of lab.stack(model:), which the lab cannot"
                        + " restore before the next schedule; create the coordinator and open the"
                        + " store in the body instead")
            }
            do { try kept.store.rewind(to: kept.image) } catch { throw .unusable(error.message) }
            kept.coordinator.rowCache.removeAll()
        }
    }

    func owns(_ coordinator: NSPersistentStoreCoordinator?) -> Bool {
        kept.contains { $0.coordinator === coordinator }
    }

    /// Runs a set-up, or returns the value of its earlier run.
    ///
    /// If the code under test opens a store itself, it does so in each schedule. A set-up that
    /// fills such a store therefore runs in each schedule, too.
    ///
    /// - Parameter savedOwn: the stores of the code under test into which something was saved since
    ///   the last call.
    func setUp<T>(
        _ index: Int, savedOwn: () -> [NSPersistentStore], _ body: () throws -> T
    ) throws -> T {
        if index < results.count {
            guard let result = results[index] else { return try body() }
            guard let known = result as? T else {
                throw CodeError.notDeterministic(
                    "call \(index + 1) of lab.setup returns another type than in an earlier run")
            }
            return known
        }
        let before = try kept.map { try $0.store.mark() }
        _ = savedOwn()
        let result = try body()
        if result is NSManagedObject {
            throw CodeError.unusable(
                "lab.setup returns a managed object, whose context is gone when the sessions run;"
                    + " return its objectID")
        }
        let images = try kept.map { try $0.store.mark() }
        let own = savedOwn()
        let isUnchanged = zip(images, before).allSatisfy { $0.image == $1.image }
        try Self.check(own, alsoSavesKept: !isUnchanged)
        results.append(own.isEmpty ? Optional<Any>(result) : nil)
        for index in kept.indices { kept[index].image = images[index] }
        return result
    }

    private static func check(_ own: [NSPersistentStore], alsoSavesKept: Bool) throws {
        if let file = own.compactMap(\.url).first(where: { $0.isFileURL && $0.path != "/dev/null" })
        {
            throw CodeError.unusable(
                "lab.setup saves into \(file.path), a store that the code opens itself and that"
                    + " keeps the writes of each schedule; pass the container of lab.stack(model:)"
                    + " to the code, or open its store in memory or at /dev/null in the body")
        }
        if !own.isEmpty, alsoSavesKept {
            throw CodeError.unusable(
                "one lab.setup fills both a stack of lab.stack(model:), which is filled once, and a"
                    + " store that the code opens itself, which is filled in each schedule; call"
                    + " lab.setup for each of them")
        }
    }
}
