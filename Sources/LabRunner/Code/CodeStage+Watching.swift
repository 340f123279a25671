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
        // A recorder takes what is looked at here for no doing of the program.
        context.listener?.note(.engineBegins)
        touched.hear(event, in: context)
        isLooking = true
        history.hear(event, in: context)
        isLooking = false
        if case .saved(let keys) = event, !touched.isCoarse, running != nil {
            keep(keys, of: context)
        }
        context.listener?.note(.engineEnds)
        switch event {
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
