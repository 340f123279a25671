import Foundation

/// A value that predicates compare by object id. An object equals its id, and equals the same
/// object in another context.
///
/// The engine's objects and ids conform, because a store compares keys, and evaluation in memory
/// must return the same result.
package protocol PredicateIdentity {
    /// The identity, which is the same for an object and its id.
    var predicateIdentity: NSObject { get }

    /// Whether both have the same identity.
    func isSame(as other: any PredicateIdentity) -> Bool
}
