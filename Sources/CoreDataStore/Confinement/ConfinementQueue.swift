/// The queue on which one context's work runs, one block at a time.
///
/// Contexts enqueue work, and wait for it, only through this protocol. In programs the queue is a
/// Dispatch queue; in the lab it is a queue whose blocks the lab runs one by one.
///
/// To prevent deadlocks, a child may wait for its parent, and a parent for its coordinator, but not
/// the reverse. A parent notifies its children only by calling `enqueue`.
package protocol ConfinementQueue: AnyObject, Sendable {
    /// Names the queue in traces.
    var label: String { get set }

    /// Whether the calling thread is running a block of this queue.
    ///
    /// Also true while the block waits for another queue. Costs a load and a comparison.
    var isCurrent: Bool { get }

    /// Appends a block to the queue and returns at once.
    ///
    /// - Parameters:
    ///   - label: the block's name in traces and in the lab.
    func enqueue(_ label: String, _ work: @escaping @Sendable () -> Void)

    /// Runs the body on this queue and waits for its end. If the calling thread already runs a
    /// block of this queue, the body runs directly.
    func runAndWait<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T

    /// Records an access to the context from outside of its queue. The lab lists the access in its
    /// report; the access then continues as it would in an app.
    ///
    /// - Returns: false if such an access is an error.
    func letsPass(_ misuse: String) -> Bool
}

extension ConfinementQueue {
    package func letsPass(_ misuse: String) -> Bool { false }
}
