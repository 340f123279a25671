package protocol BatchStore: ObjectStore {
    /// Runs a batch request in one transaction.
    func run(_ batch: BatchPlan, origin: WriteOrigin) throws(CoreDataError) -> BatchOutcome
}

package struct BatchOutcome: Sendable {
    /// The rows that the request inserted, updated or deleted. Rows that only a delete rule deleted
    /// are not included.
    package let keys: ContiguousArray<ObjectKey>
    /// The rows with values that the store has computed, including rows that the request did not
    /// change.
    package let computed: [ObjectKey]

    package init(keys: ContiguousArray<ObjectKey>, computed: [ObjectKey]) {
        self.keys = keys
        self.computed = computed
    }
}
