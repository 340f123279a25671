import CRuntimeShims
import Synchronization

/// The Dispatch queues that each thread holds, as a linked list from the innermost to the
/// outermost.
///
/// A thread that waits for the main queue passes its list to the thread that runs the main queue's
/// work. If that work waits for a queue in the list, its body runs immediately. Otherwise the two
/// threads would wait for each other.
enum HeldQueues {
    static func push(_ queue: DispatchConfinementQueue) {
        assert(queue.nextHeld == nil, "the thread entered a queue that it already holds")
        queue.nextHeld = first
        first = queue
    }

    static func pop(_ queue: DispatchConfinementQueue) {
        assert(first === queue, "the queue is not the one that the thread entered last")
        first = queue.nextHeld
        queue.nextHeld = nil
    }

    /// The innermost queue that the calling thread holds.
    package private(set) static var first: DispatchConfinementQueue? {
        get {
            faultline_get_held_queues().map {
                Unmanaged<DispatchConfinementQueue>.fromOpaque($0).takeUnretainedValue()
            }
        }
        set {
            // Unretained: the caller that runs work on a queue retains the queue until the work
            // ends.
            faultline_set_held_queues(newValue.map { Unmanaged.passUnretained($0).toOpaque() })
        }
    }

    /// Runs the body as if the current thread held the queues of the thread that waits for the
    /// body.
    ///
    /// - Parameters:
    ///   - lent: the innermost queue of the waiting thread.
    ///   - lender: the waiting thread.
    package static func borrowing(
        _ lent: DispatchConfinementQueue?, from lender: UInt, _ body: () -> Void
    ) {
        let borrower = faultline_thread_id()
        guard let lent, lender != borrower else { return body() }
        let own = first
        let last = give(lent, to: borrower)
        last.nextHeld = own
        first = lent
        body()
        first = own
        last.nextHeld = nil
        give(lent, to: lender)
    }

    /// Makes a thread the owner of all queues in a list, and returns the last queue.
    @discardableResult
    private static func give(
        _ queue: DispatchConfinementQueue, to thread: UInt
    ) -> DispatchConfinementQueue {
        queue.owner.store(thread, ordering: .relaxed)
        guard let next = queue.nextHeld else { return queue }
        return give(next, to: thread)
    }
}
