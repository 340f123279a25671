import CoreDataStore

/// A context's queue in threads mode: a real Dispatch queue whose work the race waits for. All
/// main-queue contexts share one Dispatch queue.
final class ThreadsQueue: LabQueue {
    private let queue: DispatchConfinementQueue
    private let race: Race
    private let waiter: String

    init(_ queue: DispatchConfinementQueue, race: Race) {
        self.queue = queue
        self.race = race
        waiter = "the queue of \(queue.label)"
    }

    var label: String {
        get { queue.label }
        set { queue.label = newValue }
    }

    var isCurrent: Bool { queue.isCurrent }

    func enqueue(_ label: String, _ work: @escaping @Sendable () -> Void) {
        race.enter(waiter)
        queue.enqueue(label) { [race, waiter] in
            work()
            race.leave(waiter)
        }
    }

    func runAndWait<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        try queue.runAndWait(body)
    }

    /// Empty, because Dispatch runs enqueued work without the lab.
    func runOldest(isMerge: Bool) {}
}
