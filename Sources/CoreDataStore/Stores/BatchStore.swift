/// A store that runs batch requests.
package protocol BatchStore: ObjectStore {
    /// Writes in one transaction.
    func run(_ batch: BatchPlan, origin: WriteOrigin) throws(CoreDataError) -> BatchOutcome
}

/// What a batch request has done.
package struct BatchOutcome: Sendable {
    /// The rows that were asked for: inserted or updated ones, or deleted ones without those that
    /// a delete rule took along.
    package let keys: ContiguousArray<ObjectKey>
    /// Rows with values that the store has computed, whether they were asked for or not.
    package let computed: [ObjectKey]
}
