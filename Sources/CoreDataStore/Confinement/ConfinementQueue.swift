/// The queue of one context, which runs one block at a time.
///
/// Contexts enqueue work and wait for it only through this protocol. In apps this is a Dispatch
/// queue. In the lab it is a queue whose blocks the lab runs one by one.
///
/// To prevent deadlocks, a child may wait for its parent, and a parent for its coordinator. The
/// reverse is not allowed, so a parent notifies its children only by `enqueue`.
package protocol ConfinementQueue: AnyObject, Sendable {
    var label: String { get set }

    /// Whether the calling thread is running a block of this queue.
    ///
    /// Also true while the block waits for another queue. Costs a load and a comparison.
    var isCurrent: Bool { get }

    /// Appends a block to the queue and returns immediately.
    ///
    /// - Parameters:
    ///   - label: the block's name in traces and in the lab.
    func enqueue(_ label: String, _ work: @escaping @Sendable () -> Void)

    /// Runs the body on this queue and waits for its end. If the calling thread already runs a
    /// block of this queue, the body runs directly.
    func runAndWait<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T

    /// Records an access to the context from outside its queue, which the lab lists in its report.
    ///
    /// - Returns: true if the access may continue, as in an app; false if it is an error.
    func letsPass(_ misuse: String) -> Bool
}

extension ConfinementQueue {
    package func letsPass(_ misuse: String) -> Bool { false }
}
