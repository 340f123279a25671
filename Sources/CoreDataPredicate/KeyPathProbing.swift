/// A class that can find the keys of a Swift key path by a trial.
///
/// An optimised program has few symbols of getters and a stripped one none, so managed classes find
/// the keys this way.
package protocol KeyPathProbing {
    /// Finds the keys of a key path whose root is this class.
    ///
    /// - Parameter steps: the number of computed properties in the key path.
    static func probe(_ keyPath: AnyKeyPath, steps: Int) -> ProbedKeys
}

/// The result of trying a key path.
package enum ProbedKeys: Sendable {
    /// Each step reads one property.
    case keys([String])
    /// The key path does more than read properties. The result does not change later.
    case none
    /// No model that contains the class has been used yet; a later trial may succeed.
    case notYet
}
