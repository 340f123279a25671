/// A named point in the engine at which a test or the lab can make an operation fail or wait.
@usableFromInline
package enum FaultPoint: String, Sendable, CaseIterable {
    /// A context is about to read rows from its coordinator's stores.
    case read
    /// A save plan is complete, and no part of it is written yet.
    case write = "before-write"
    /// The store has committed; the row cache is not updated yet.
    case committed = "after-commit"
    /// The save is done; observers are not notified yet.
    case didSave = "before-did-save"
    /// Another context's save is about to be merged.
    case merge = "before-merge"
}

/// The fault points of a coordinator and its contexts, and the handler that decides at each point
/// whether the operation continues.
///
/// Without a handler, each point costs one branch.
@usableFromInline package final class FaultPoints {
    @usableFromInline package typealias Handler =
        @Sendable (FaultPoint) throws(CoreDataError) -> Void

    /// Called on the thread that reaches a point; an error that it throws ends the operation there.
    /// Set it while the coordinator and its contexts are not in use.
    // Unchecked because every fault reads it.
    @usableFromInline @exclusivity(unchecked) package var handler: Handler?

    package init() {}

    @inlinable @inline(__always)
    package func reach(_ point: FaultPoint) throws(CoreDataError) {
        if let handler { try handler(point) }
    }
}

// `@unchecked Sendable` because the handler is Sendable, and is set only while the stack is not in
// use (see `handler`).
extension FaultPoints: @unchecked Sendable {}
