/// A store that runs batch requests.
package protocol BatchStore: ObjectStore {
    /// Writes in one transaction.
    func run(_ batch: BatchPlan, origin: WriteOrigin) throws(CoreDataError) -> BatchOutcome
}

/// The result of a batch request.
package struct BatchOutcome: Sendable {
    /// The rows of the request: inserted or updated rows, or deleted rows without those that a
    /// delete rule also deleted.
    package let keys: ContiguousArray<ObjectKey>
    /// Rows with values that the store has computed, including rows outside of the request.
    package let computed: [ObjectKey]
}
