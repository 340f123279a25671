import Foundation

/// A value that comparisons identify by an object id: an object equals its id, and equals the same
/// object in another context.
///
/// The engine's objects and ids conform, because a store compares keys, and evaluation in memory
/// must have the same result.
package protocol PredicateIdentity {
    /// Equal for an object and its id.
    var predicateIdentity: NSObject { get }

    /// Whether both have the same identity.
    func isSame(as other: any PredicateIdentity) -> Bool
}
