/// A class that can find the keys of a Swift key path by applying the key path to an object.
///
/// Managed objects use this method, because an optimised program has few symbols of getters and a
/// stripped program has none.
package protocol KeyPathProbing {
    /// Finds the keys of a key path whose root is this class.
    ///
    /// - Parameter steps: the number of computed properties in the key path.
    static func probe(_ keyPath: AnyKeyPath, steps: Int) -> ProbedKeys
}

/// The result of applying a key path to an object.
package enum ProbedKeys: Sendable {
    /// Each component reads one property.
    case keys([String])
    /// The key path does more than read properties. Another attempt would have the same result.
    case none
    /// No model that contains the class has been used yet. A later attempt may succeed.
    case notYet
}
