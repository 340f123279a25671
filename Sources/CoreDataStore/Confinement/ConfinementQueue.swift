/// The place where one context's work runs, one piece at a time.
///
/// This is the engine's seam for scheduling: programs get a Dispatch queue, the lab gets a queue
/// that it steps by hand. Contexts call it; nothing else in the engine starts or waits for work.
///
/// Waits go from child to parent to coordinator; a parent tells its children only by `enqueue`.
package protocol ConfinementQueue: AnyObject, Sendable {
    /// Names the queue in traces.
    var label: String { get set }

    /// Whether the calling thread is running a piece of this queue's work.
    ///
    /// True also inside nested waits for other queues. Costs a load and a comparison.
    var isCurrent: Bool { get }

    /// Puts work behind what is waiting already and returns at once.
    ///
    /// - Parameters:
    ///   - label: names the work in traces and to the lab.
    func enqueue(_ label: String, _ work: @escaping @Sendable () -> Void)

    /// Runs the body as this queue's work and waits for it; inline where the queue is current.
    func runAndWait<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T

    /// Takes note that something of the queue was used off it; the lab tells it in its report, and
    /// the use goes on as it would in an app.
    ///
    /// - Returns: false where such a use is an error.
    func letsPass(_ misuse: String) -> Bool
}

extension ConfinementQueue {
    package func letsPass(_ misuse: String) -> Bool { false }
}
