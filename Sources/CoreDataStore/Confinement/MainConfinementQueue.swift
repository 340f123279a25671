import CRuntimeShims
import CoreDataTrace
import Dispatch
import Synchronization

/// The main Dispatch queue, which all main-queue contexts share.
///
/// A thread is on this queue while it runs a block of the main queue. While no thread does, the
/// process's initial thread is also on it, because tests and command-line programs use a view
/// context directly from that thread. On Linux, after the first suspension of an asynchronous
/// `main`, another thread may run the blocks of the main queue.
///
/// The program must keep running the main queue. A server that does not run it should use contexts
/// with private queues.
package final class MainConfinementQueue: ConfinementQueue {
    /// The thread that runs main-queue work of any context, or 0.
    private static let owner = Atomic<UInt>(0)
    private static let marker: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private let name: Mutex<String>
    private let trace: Trace?

    package init(label: String = "main", trace: Trace? = nil) {
        name = Mutex(label)
        self.trace = trace
    }

    package var label: String {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }

    package var isCurrent: Bool {
        let thread = faultline_thread_id()
        let owner = Self.owner.load(ordering: .relaxed)
        if owner == thread { return true }
        if owner == 0, thread == faultline_initial_thread() { return true }
        // The thread runs a block that the program itself has enqueued on the main queue.
        return DispatchQueue.getSpecific(key: Self.marker) != nil
    }

    package func enqueue(_ label: String, _ work: @escaping @Sendable () -> Void) {
        if let trace, trace.isOn { trace.record(.enqueue(queue: self.label, label: label)) }
        DispatchQueue.main.async { self.holding(work) }
    }

    package func runAndWait<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        if isCurrent { return try body() }
        let lent = HeldQueues.first
        let lender = faultline_thread_id()
        // Unchecked because the calling thread is blocked until the main queue has run the block.
        nonisolated(unsafe) var result: Result<T, E>?
        // Unchecked because the calling thread is blocked, as above.
        nonisolated(unsafe) let work = body
        DispatchQueue.main.sync {
            HeldQueues.borrowing(lent, from: lender) {
                self.holding { result = Result(catching: work) }
            }
        }
        guard let result else { trap("DispatchQueue.sync did not run its block") }
        return try result.get()
    }

    private func holding(_ work: () -> Void) {
        // The value is not always 0: a block may run a run loop, which then runs the next block.
        let outer = Self.owner.exchange(faultline_thread_id(), ordering: .relaxed)
        if let trace, trace.isOn { trace.record(.acquire(resource: label)) }
        work()
        if let trace, trace.isOn { trace.record(.release(resource: label)) }
        Self.owner.store(outer, ordering: .relaxed)
    }
}
