import LabBench

/// The operations of the built-in workloads.
package enum BuiltInOperations {
    private static let added: Void = KnownOperations.add(LabBench.Operation.builtIn)

    /// Adds the operations to those that this program can run. Later calls have no effect.
    package static func add() { _ = added }
}

extension LabBench.Operation {
    /// All operations of this module, by family.
    fileprivate static let builtIn = [
        reading, faulting, relationships, archives, writing, conflicts, merging, concurrent, crowds,
        results, imports, values,
    ].flatMap(\.self)
}
