/// A class that can find the keys that a Swift key path reads by trying it.
///
/// An optimised program has few symbols of getters and a stripped one none, so that managed classes
/// are asked this way there.
package protocol KeyPathProbing {
    /// Finds the keys of a key path whose root is this class.
    ///
    /// - Parameter steps: how many computed properties the key path goes through.
    static func probe(_ keyPath: AnyKeyPath, steps: Int) -> ProbedKeys
}

/// What trying a key path has shown.
package enum ProbedKeys: Sendable {
    /// Each step reads one property.
    case keys([String])
    /// It reads something else, now and later.
    case none
    /// No model that has the class was used so far.
    case notYet
}
