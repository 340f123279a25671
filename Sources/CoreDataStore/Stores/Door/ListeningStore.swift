import CoreDataModel

/// A store that can report the writes of other coordinators, also those of other machines.
package protocol ListeningStore: ObjectStore {
    /// Whether the store announces its writes to other stores, and reports theirs.
    var announces: Bool { get }

    /// Begins to report writes, if the store announces its own. Called once, after the store was
    /// added to its coordinator. The reports end when the store is closed.
    ///
    /// - Parameter body: called on a thread of the store with the rows that another coordinator has
    ///   changed or deleted; nil if any row may have changed.
    func listen(_ body: @escaping @Sendable ([ObjectKey]?) -> Void)
}
