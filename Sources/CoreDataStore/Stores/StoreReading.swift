import CoreDataModel

/// The reading operations of a store, or of several stores that are read as one.
package protocol StoreReading: AnyObject, Sendable {
    /// Runs a fetch with one SELECT.
    func fetchRows(_ plan: FetchPlan, generation: UInt64) throws(CoreDataError) -> FetchedRows
    /// Runs a fetch that returns only keys, with one SELECT.
    func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey>
    /// Runs a fetch that returns only keys, in pages, with one SELECT.
    func fetchKeyPages(_ plan: FetchPlan) throws(CoreDataError) -> KeyPages
    /// Counts the results of a fetch with one SELECT.
    func count(_ plan: FetchPlan) throws(CoreDataError) -> Int

    /// Reads one row with one SELECT; nil if it does not exist.
    func row(_ key: ObjectKey, generation: UInt64) throws(CoreDataError) -> RowReference?
    /// Reads one row into `rows` with one SELECT; `rows` stays empty if the row does not exist.
    func readRow(
        _ key: ObjectKey, generation: UInt64, into rows: LoneRows
    ) throws(CoreDataError)
    /// Reads many rows of one entity's family in the order of the keys; missing rows are left out.
    /// Runs one SELECT, whose text does not depend on the number of keys.
    func rows(
        _ keys: ContiguousArray<Int64>, entity: EntityLayout, generation: UInt64
    ) throws(CoreDataError) -> FetchedRows
    /// Reads the keys in a to-many relationship of one object with one SELECT.
    func destinations(
        of owner: ObjectKey, slot: Int
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey>
    /// Reads the members of a to-many relationship for many owners, and the members' rows. Runs one
    /// SELECT, or two for a join table.
    func destinations(
        ofAll owners: ContiguousArray<Int64>, entity: EntityLayout, slot: Int, generation: UInt64
    ) throws(CoreDataError) -> FetchedDestinations
}

extension StoreReading {
    package func fetchKeyPages(_ plan: FetchPlan) throws(CoreDataError) -> KeyPages {
        [.ofFamily(try fetchKeys(plan))]
    }

    /// The default implementation, for stores that read each row into a separate block.
    package func readRow(
        _ key: ObjectKey, generation: UInt64, into rows: LoneRows
    ) throws(CoreDataError) {
        if let row = try row(key, generation: generation) { rows.take(row) }
    }
}
