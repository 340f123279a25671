/// The queue on which one context's work runs, one block at a time.
///
/// This is the engine's seam for scheduling: programs get a Dispatch queue, the lab gets a queue
/// that it steps itself. Contexts call it; nothing else in the engine starts or waits for work.
///
/// Waits lead from child to parent to coordinator; a parent notifies its children only by
/// `enqueue`.
package protocol ConfinementQueue: AnyObject, Sendable {
    /// Names the queue in traces.
    var label: String { get set }

    /// Whether the calling thread is running a block of this queue.
    ///
    /// True also inside of nested waits for other queues. Costs a load and a comparison.
    var isCurrent: Bool { get }

    /// Appends a block to the queue and returns at once.
    ///
    /// - Parameters:
    ///   - label: the block's name in traces and in the lab.
    func enqueue(_ label: String, _ work: @escaping @Sendable () -> Void)

    /// Runs the body on this queue and waits for it; inline if the queue is current.
    func runAndWait<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T

    /// Records an access off the queue. The lab lists it in its report, and the access continues as
    /// in an app.
    ///
    /// - Returns: false if such an access is an error.
    func letsPass(_ misuse: String) -> Bool
}

extension ConfinementQueue {
    package func letsPass(_ misuse: String) -> Bool { false }
}
