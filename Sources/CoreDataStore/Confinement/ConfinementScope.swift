import CRuntimeShims

/// Where the stacks live that a thread makes: on the lab's queues in place of Dispatch's.
///
/// A scope belongs to threads: contexts and coordinators that a thread of a scope makes get their
/// queues from it and are told to it, so that ordinary code comes under the lab as it is. A thread
/// without one makes stacks as programs do.
package final class ConfinementScope: Sendable {
    package enum Kind: Sendable { case main, privateQueue, coordinator }

    /// Makes the queue of something that the calling thread makes.
    package let makeQueue: @Sendable (Kind) -> any ConfinementQueue
    /// Takes a context or a coordinator that was made.
    package let adopt: @Sendable (AnyObject) -> Void
    /// Takes the conflicts of a context's save, before its policy is asked about them.
    package let meet: @Sendable (AnyObject, [Any]) -> Void
    /// What has made the scope, while it lives.
    package let owner: @Sendable () -> AnyObject?

    package init(
        makeQueue: @escaping @Sendable (Kind) -> any ConfinementQueue,
        adopt: @escaping @Sendable (AnyObject) -> Void,
        meet: @escaping @Sendable (AnyObject, [Any]) -> Void = { _, _ in },
        owner: @escaping @Sendable () -> AnyObject? = { nil }
    ) {
        self.makeQueue = makeQueue
        self.adopt = adopt
        self.meet = meet
        self.owner = owner
    }

    /// The scope of the calling thread. Costs a load from thread-local memory.
    ///
    /// Whoever sets one keeps it for as long as threads have it.
    package static var current: ConfinementScope? {
        get {
            faultline_get_scope().map {
                Unmanaged<ConfinementScope>.fromOpaque($0).takeUnretainedValue()
            }
        }
        set { faultline_set_scope(newValue.map { Unmanaged.passUnretained($0).toOpaque() }) }
    }

    /// Runs the body as a thread of the scope.
    package func run<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        let outer = Self.current
        Self.current = self
        defer { Self.current = outer }
        return try body()
    }
}
