import CRuntimeShims
import CoreDataTrace
import Dispatch
import Synchronization

/// A serial Dispatch queue, for a context with a private queue.
///
/// `runAndWait` runs its body on the calling thread, after the work that was enqueued earlier. A
/// thread may hold several queues. For example, a child that waits for its parent still holds the
/// child's queue. All of them are current, but Dispatch knows only the innermost one.
package final class DispatchConfinementQueue: ConfinementQueue {
    private let queue: DispatchQueue
    private let name: Mutex<String>
    private let trace: Trace?
    /// The thread that runs a block of this queue, or 0.
    package let owner = Atomic<UInt>(0)
    /// The next outer queue that the same thread holds; see `HeldQueues`.
    var nextHeld: DispatchConfinementQueue?

    package init(label: String, trace: Trace? = nil) {
        queue = DispatchQueue(label: label)
        name = Mutex(label)
        self.trace = trace
    }

    package var label: String {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }

    package var isCurrent: Bool { owner.load(ordering: .relaxed) == faultline_thread_id() }

    package func enqueue(_ label: String, _ work: @escaping @Sendable () -> Void) {
        if let trace, trace.isOn { trace.record(.enqueue(queue: self.label, label: label)) }
        queue.async { self.holding(work) }
    }

    package func runAndWait<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        if isCurrent { return try body() }
        var result: Result<T, E>?
        queue.sync { self.holding { result = Result(catching: body) } }
        guard let result else { trap("DispatchQueue.sync did not run its block") }
        return try result.get()
    }

    private func holding(_ work: () -> Void) {
        assert(owner.load(ordering: .relaxed) == 0, "another thread is running the queue's work")
        owner.store(faultline_thread_id(), ordering: .relaxed)
        HeldQueues.push(self)
        if let trace, trace.isOn { trace.record(.acquire(resource: label)) }
        work()
        if let trace, trace.isOn { trace.record(.release(resource: label)) }
        HeldQueues.pop(self)
        owner.store(0, ordering: .relaxed)
    }
}

// `@unchecked Sendable` because only the thread in `owner` uses `nextHeld`. Dispatch's queue lets
// one owner finish before the next one starts. All other fields are immutable or synchronize
// themselves.
extension DispatchConfinementQueue: @unchecked Sendable {}
