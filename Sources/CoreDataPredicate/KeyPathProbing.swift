/// A class that finds the keys of a Swift key path by applying it to an object.
///
/// Managed objects conform, because an optimised program has few symbols of getters and a stripped
/// program has none.
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
    /// The key path does not only read properties. A later attempt would fail too.
    case none
    /// No model with the class was used yet. A later attempt may succeed.
    case notYet
}
