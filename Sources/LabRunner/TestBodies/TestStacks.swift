import CoreDataEngine
import CoreDataStore
import CoreDataTrace
import Synchronization

/// The stacks that a test creates. A stack may outlive a schedule. Its queues forward to queues of
/// the schedule that runs, and are real queues while no schedule runs.
final class TestStacks: StackSwitching {
    /// The stacks of the process. A stack may outlive its test, and only one test at a time is
    /// explored.
    static let shared = TestStacks()

    private let queues = Mutex<[WeakQueue]>([])

    private struct WeakQueue: Sendable {
        weak var queue: SwitchedQueue?
    }

    private let made = Mutex<[WeakContext]>([])

    // Unchecked because the lock guards the variable.
    private struct WeakContext: @unchecked Sendable {
        weak var context: NSManagedObjectContext?
    }

    func note(_ context: NSManagedObjectContext) {
        let held = WeakContext(context: context)
        made.withLock { made in
            made.removeAll { $0.context == nil }
            made.append(held)
        }
    }

    var contexts: [NSManagedObjectContext] {
        // Unchecked because only the thread with the baton, or the explorer, uses the variable.
        nonisolated(unsafe) var contexts: [NSManagedObjectContext] = []
        made.withLock { contexts = $0.compactMap(\.context) }
        return contexts
    }

    func queue(
        _ kind: ConfinementScope.Kind, _ own: CodeQueue, of stage: CodeStage
    ) -> any ConfinementQueue {
        let queue = SwitchedQueue(kind, stacks: self)
        queue.bind(own)
        return queue
    }

    /// Creates the queue of an object that is created while no schedule runs.
    func liveQueue(_ kind: ConfinementScope.Kind) -> any ConfinementQueue {
        SwitchedQueue(kind, stacks: self)
    }

    func own(_ queue: any ConfinementQueue) -> CodeQueue? { (queue as? SwitchedQueue)?.scheduled }

    func adopt(_ coordinator: NSPersistentStoreCoordinator, by stage: CodeStage?) {
        coordinator.trace.add(SwitchedListener(coordinator, madeBy: stage))
    }

    func note(_ queue: SwitchedQueue) {
        queues.withLock { queues in
            if queues.count % 64 == 63 { queues.removeAll { $0.queue == nil } }
            queues.append(WeakQueue(queue: queue))
        }
    }

    /// Switches the remaining objects to real queues, because the schedules are over.
    func end() {
        for queue in queues.withLock({ $0.compactMap(\.queue) }) { queue.unbind() }
    }
}
