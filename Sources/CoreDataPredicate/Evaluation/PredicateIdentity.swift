import Foundation

/// A value that predicates compare by object id: an object equals its id, and the same object in
/// another context.
///
/// A store compares keys, and the evaluation in memory must have the same result.
package protocol PredicateIdentity {
    /// The identity, which is the same for an object and its id.
    var predicateIdentity: NSObject { get }

    func isSame(as other: any PredicateIdentity) -> Bool
}
