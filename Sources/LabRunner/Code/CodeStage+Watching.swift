import CoreDataEngine
import CoreDataStore

extension CodeStage: ContextWatcher {
    func watch(_ context: NSManagedObjectContext) {
        context.overrides = change.settings
        contexts.append(WeakContext(context: context))
        history.adopt(context)
        context.watcher = self
    }

    func hear(_ event: WatchedEvent, in context: NSManagedObjectContext) {
        guard isInside, !isLooking, !baton.isCollapsed else { return }
        // A recorder ignores the reads here, because the program did not request them.
        context.listener?.note(.engineBegins)
        touched.hear(event, in: context)
        isLooking = true
        history.hear(event, in: context)
        isLooking = false
        if case .saved(let keys) = event {
            if running == nil { noteSaved(context) }
            if !touched.isCoarse, running != nil { keep(keys, of: context) }
        }
        context.listener?.note(.engineEnds)
        story?.hear(event, in: context)
        noteProgress(event)
        switch event {
        case .firing(let key):
            if grain == .operations, running != nil {
                isFresh = true
                baton.pause(next: "read")
                isFresh = true
            }
            touched.look(for: key, in: context)
        // The read is complete. If it found its row in the row cache, it has taken no lock.
        case .refreshed: isFresh = false
        default: break
        }
    }

    private func noteProgress(_ event: WatchedEvent) {
        switch event {
        case .firing, .wrote, .saved, .merged, .batched: progress.note()
        default: break
        }
    }

    private func noteSaved(_ context: NSManagedObjectContext) {
        guard let coordinator = context.persistentStoreCoordinator, context.parent == nil,
            !savedCoordinators.contains(where: { $0 === coordinator })
        else { return }
        savedCoordinators.append(coordinator)
    }

    /// The stores, other than the lab's, into which the body has saved since the last call.
    func takeSavedStores(notIn stores: CodeStores) -> [NSPersistentStore] {
        defer { savedCoordinators = [] }
        return savedCoordinators.filter { !stores.owns($0) }.flatMap(\.persistentStores)
    }

    /// The coordinators, other than the lab's, into which the schedule has saved.
    func ownCoordinators(notIn stores: CodeStores) -> [NSPersistentStoreCoordinator] {
        savedCoordinators.filter { !stores.owns($0) }
    }

    /// Turns off automatic merging in all contexts. Threads that never ended keep their contexts,
    /// which must not react to later schedules.
    func silenceContexts() {
        for context in contexts.compactMap(\.context) {
            context.overrides = SettingOverrides(mergesAutomatically: false)
        }
    }

    private func keep(_ keys: SavedKeys, of context: NSManagedObjectContext) {
        if context.parent != nil { return }
        let saved = Set(keys.inserted + keys.updated)
        for object in context.insertedObjects.union(context.updatedObjects)
        where saved.contains(object.objectKey) {
            if let cells = object.cells {
                keptRows.append(RowFormat.block(cells).takeUnretainedValue())
            }
        }
    }
}
