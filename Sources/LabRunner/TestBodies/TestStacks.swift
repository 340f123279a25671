import CoreDataStore
import CoreDataTrace
import Synchronization

/// The stacks that a test makes: their queues belong to the schedule that runs, or are real ones
/// while none does, because a stack may outlive both.
final class TestStacks: StackSwitching {
    private let queues = Mutex<[WeakQueue]>([])

    private struct WeakQueue: Sendable {
        weak var queue: SwitchedQueue?
    }

    func queue(
        _ kind: ConfinementScope.Kind, _ own: CodeQueue, of stage: CodeStage
    ) -> any ConfinementQueue {
        let queue = SwitchedQueue(kind, stacks: self)
        queue.bind(own)
        return queue
    }

    /// A queue of something that is made while no schedule runs.
    func liveQueue(_ kind: ConfinementScope.Kind) -> any ConfinementQueue {
        SwitchedQueue(kind, stacks: self)
    }

    func own(_ queue: any ConfinementQueue) -> CodeQueue? { (queue as? SwitchedQueue)?.scheduled }

    func adopt(_ coordinator: NSPersistentStoreCoordinator, by stage: CodeStage?) {
        coordinator.trace.add(SwitchedListener(stage))
    }

    func note(_ queue: SwitchedQueue) {
        queues.withLock { queues in
            if queues.count % 64 == 63 { queues.removeAll { $0.queue == nil } }
            queues.append(WeakQueue(queue: queue))
        }
    }

    /// The schedules are over: what outlives them has real queues.
    func end() {
        for queue in queues.withLock({ $0.compactMap(\.queue) }) { queue.unbind() }
    }
}
