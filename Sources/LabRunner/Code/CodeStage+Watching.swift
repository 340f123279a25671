import CoreDataEngine
import CoreDataStore

extension CodeStage: ContextWatcher {
    /// Hears a context from now on.
    func watch(_ context: NSManagedObjectContext) {
        context.overrides = change.settings
        contexts.append(WeakContext(context: context))
        history.adopt(context)
        context.watcher = self
    }

    /// Contexts tell what the program does with their objects.
    func hear(_ event: WatchedEvent, in context: NSManagedObjectContext) {
        guard isInside, !isLooking, !baton.isCollapsed else { return }
        touched.hear(event, in: context)
        isLooking = true
        history.hear(event, in: context)
        isLooking = false
        switch event {
        case .saved(let keys) where !touched.isCoarse && running != nil: keep(keys, of: context)
        case .firing where grain == .operations && running != nil:
            isFresh = true
            baton.pause(next: "read")
            isFresh = true
        default: break
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
