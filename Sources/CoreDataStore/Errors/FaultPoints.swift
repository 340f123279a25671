/// A named place of the engine where a test or the lab can have an operation fail, or hold it.
@usableFromInline
package enum FaultPoint: String, Sendable, CaseIterable {
    /// A context asks its coordinator's stores for rows.
    case read
    /// A save's plan is made and nothing of it is written.
    case write = "before-write"
    /// The store has committed; the row cache does not know yet.
    case committed = "after-commit"
    /// The save is done; nobody has been told.
    case didSave = "before-did-save"
    /// Another context's save is about to be merged.
    case merge = "before-merge"
}

/// The fault points of one stack: who listens decides at each whether the operation goes on.
///
/// One per coordinator. Costs one branch at each point while nobody listens.
@usableFromInline package final class FaultPoints {
    @usableFromInline package typealias Handler =
        @Sendable (FaultPoint) throws(CoreDataError) -> Void

    /// Called on the thread that reaches a point; what it throws ends the operation there. Set it
    /// while the stack is at rest.
    // Unchecked because every fault looks at it.
    @usableFromInline @exclusivity(unchecked) package var handler: Handler?

    package init() {}

    @inlinable @inline(__always)
    package func reach(_ point: FaultPoint) throws(CoreDataError) {
        if let handler { try handler(point) }
    }
}

// `@unchecked Sendable` because the handler is set only while the stack is at rest (the documented
// contract of `handler`) and is Sendable itself.
extension FaultPoints: @unchecked Sendable {}
