/// A store that runs batch requests.
package protocol BatchStore: ObjectStore {
    /// Writes in one transaction and returns the keys of the rows that were asked for: inserted
    /// or updated ones, or deleted ones without those that a delete rule took along.
    func run(
        _ batch: BatchPlan, origin: WriteOrigin
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey>
}
