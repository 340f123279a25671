import CoreDataEngine
import CoreDataStore
import CoreDataTrace
import FaultlineRecorder

/// The queues, contexts and coordinators that code of a schedule creates and uses.
extension CodeStage {
    func makeQueue(_ kind: ConfinementScope.Kind) -> any ConfinementQueue {
        if isReleased {
            if case .main = kind { return MainConfinementQueue() }
            return DispatchConfinementQueue(label: "context")
        }
        let queue = makeOwnQueue(kind)
        return switches?.queue(kind, queue, of: self) ?? queue
    }

    func makeOwnQueue(_ kind: ConfinementScope.Kind) -> CodeQueue {
        switch kind {
        case .main: return mainQueue
        case .coordinator:
            let resource = Baton.Resource("a coordinator's queue", isLock: false)
            return CodeQueue(
                "coordinator", resource: resource, fixedLane: table.coordinatorLane, stage: self)
        case .privateQueue:
            let name = nextName()
            return CodeQueue(
                name, resource: Baton.Resource("the queue of \(name)", isLock: false), stage: self)
        }
    }

    func queue(of context: NSManagedObjectContext) -> CodeQueue? {
        context.queue as? CodeQueue ?? switches?.own(context.queue)
    }

    func owns(_ context: NSManagedObjectContext, _ queue: CodeQueue) -> Bool {
        self.queue(of: context) === queue
    }

    /// Called when a block of a context has taken the context's queue.
    func beginBlock(of queue: CodeQueue) {
        guard baton.current != nil, !baton.isCollapsed else { return }
        story?.beginBlock(of: queue)
        guard change.refreshesBlocks else { return }
        for context in contexts.compactMap(\.context)
        where owns(context, queue) && context.persistentStoreCoordinator != nil {
            context.refreshAllObjects()
        }
    }

    func meet(_ context: AnyObject, _ conflicts: [Any]) {
        guard let story, let context = context as? NSManagedObjectContext else { return }
        story.meet(context, conflicts)
    }

    func adopt(_ object: AnyObject) {
        if isReleased { return }
        if let context = object as? NSManagedObjectContext {
            switches?.note(context)
            watch(context)
        } else if let coordinator = object as? NSPersistentStoreCoordinator {
            if let switches { return switches.adopt(coordinator, by: self) }
            coordinator.trace.add(makeListener(for: coordinator))
            if let sink = story?.sink { coordinator.trace.add(sink) }
            recorder?.followContextsToCome(of: coordinator)
        }
    }

    func makeListener(for coordinator: NSPersistentStoreCoordinator) -> CodeListener {
        let prefix = CodeListener.prefix(coordinators)
        coordinators += 1
        if coordinators > 1 { touched.coarsen() }
        return CodeListener(self, prefix: prefix, layout: coordinator.frozenModel.layout)
    }
}
