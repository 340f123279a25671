import CRuntimeShims

/// Makes the contexts and coordinators that a thread creates use the lab's queues instead of
/// Dispatch's.
///
/// So the lab can run ordinary code unchanged. The thread's scope creates the queue of each new
/// context or coordinator, and receives the new object. A thread without a scope uses Dispatch's
/// queues.
package final class ConfinementScope: Sendable {
    package enum Kind: Sendable { case main, privateQueue, coordinator }

    package let makeQueue: @Sendable (Kind) -> any ConfinementQueue
    /// Receives each new context or coordinator.
    package let adopt: @Sendable (AnyObject) -> Void
    /// Receives the conflicts of a context's save before the merge policy resolves them.
    package let meet: @Sendable (AnyObject, [Any]) -> Void
    /// Returns the creator of the scope, or nil if the creator no longer exists.
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

    /// The scope of the calling thread, from thread-local memory. It is not retained: the caller
    /// that sets a scope must keep it alive.
    package static var current: ConfinementScope? {
        get {
            faultline_get_scope().map {
                Unmanaged<ConfinementScope>.fromOpaque($0).takeUnretainedValue()
            }
        }
        set { faultline_set_scope(newValue.map { Unmanaged.passUnretained($0).toOpaque() }) }
    }

    package func run<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        let outer = Self.current
        Self.current = self
        defer { Self.current = outer }
        return try body()
    }
}
