import CoreDataModel

/// The reading half of a store, which also several stores together implement.
package protocol StoreReading: AnyObject, Sendable {
    /// Runs a fetch. One SELECT.
    func fetchRows(_ plan: FetchPlan, generation: UInt64) throws(CoreDataError) -> FetchedRows
    /// Runs a fetch of only keys. One SELECT.
    func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey>
    /// Runs a fetch of only keys, in pages. One SELECT.
    func fetchKeyPages(_ plan: FetchPlan) throws(CoreDataError) -> KeyPages
    /// Counts the results of a fetch. One SELECT.
    func count(_ plan: FetchPlan) throws(CoreDataError) -> Int

    /// Reads one row, or nil if it does not exist. One SELECT.
    func row(_ key: ObjectKey, generation: UInt64) throws(CoreDataError) -> RowReference?
    /// Reads one row into `rows`; they stay empty if it does not exist. One SELECT.
    func readRow(
        _ key: ObjectKey, generation: UInt64, into rows: LoneRows
    ) throws(CoreDataError)
    /// Reads many rows of one entity's family in the order of the keys, leaving out missing ones.
    /// One SELECT whose text does not depend on the number of keys.
    func rows(
        _ keys: ContiguousArray<Int64>, entity: EntityLayout, generation: UInt64
    ) throws(CoreDataError) -> FetchedRows
    /// Reads the keys in a to-many relationship of one object. One SELECT.
    func destinations(
        of owner: ObjectKey, slot: Int
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey>
    /// Reads members and rows of a to-many relationship for many owners. One SELECT, two for a
    /// join table.
    func destinations(
        ofAll owners: ContiguousArray<Int64>, entity: EntityLayout, slot: Int, generation: UInt64
    ) throws(CoreDataError) -> FetchedDestinations
}

extension StoreReading {
    package func fetchKeyPages(_ plan: FetchPlan) throws(CoreDataError) -> KeyPages {
        [.ofFamily(try fetchKeys(plan))]
    }

    /// This default is for stores whose rows have separate blocks in any case.
    package func readRow(
        _ key: ObjectKey, generation: UInt64, into rows: LoneRows
    ) throws(CoreDataError) {
        if let row = try row(key, generation: generation) { rows.take(row) }
    }
}
