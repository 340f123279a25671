import Foundation

/// A value that comparisons know by an id: an object equals its id and every other copy of it.
///
/// The engine's objects and ids conform, because a store compares keys, and memory must agree with
/// it.
package protocol PredicateIdentity {
    /// Equal for an object and its id.
    var predicateIdentity: NSObject { get }

    /// Whether both have the same identity.
    func isSame(as other: any PredicateIdentity) -> Bool
}
