import CoreDataModel

/// What a coordinator asks of a store. Values go down, values come back.
///
/// A store may be called from any thread: readers may run beside each other and beside one
/// writer; how a store keeps that promise is its own business.
package protocol ObjectStore: AnyObject, Sendable {
    /// The store's UUID, the host of its objects' URIs.
    var identifier: String { get }
    /// The store's metadata, its type and UUID included.
    var metadata: [String: any Sendable] { get }

    /// Changes what is kept with the store; written with the next save.
    func setMetadata(_ metadata: [String: any Sendable]) throws(CoreDataError)

    /// Runs a fetch. One SELECT.
    func fetchRows(_ plan: FetchPlan, generation: UInt64) throws(CoreDataError) -> FetchedRows
    /// Runs a fetch for keys alone. One SELECT.
    func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> ContiguousArray<ObjectKey>
    /// Counts what a fetch would find. One SELECT.
    func count(_ plan: FetchPlan) throws(CoreDataError) -> Int

    /// Reads one row, or nil when it is gone. One SELECT.
    func row(_ key: ObjectKey, generation: UInt64) throws(CoreDataError) -> RowReference?
    /// Reads one row into `rows`, which have none where it is gone. One SELECT.
    func readRow(
        _ key: ObjectKey, generation: UInt64, into rows: LoneRows
    ) throws(CoreDataError)
    /// Reads many rows of one entity's family in the order of the keys, leaving out those that
    /// are gone. One SELECT whose text does not depend on the number of keys.
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

    /// Reserves `count` primary keys for the root of the entity and returns the first.
    func reserveKeys(_ count: Int, for entity: EntityLayout) throws(CoreDataError) -> Int64
    /// Writes a plan in one transaction.
    func save(_ plan: SavePlan) throws(CoreDataError) -> SaveOutcome

    /// The store as it is now, for reading alone, until it is closed; nil where the store cannot
    /// keep an earlier state.
    func holdState() throws(CoreDataError) -> (any ObjectStore)?
    /// Whether it can.
    var canHoldState: Bool { get }

    /// Closes files and connections. Nothing may be asked afterwards.
    func close()
}

extension ObjectStore {
    package func holdState() throws(CoreDataError) -> (any ObjectStore)? { nil }
    package var canHoldState: Bool { false }
}

extension ObjectStore {
    /// For stores whose rows have blocks of their own in any case.
    package func readRow(
        _ key: ObjectKey, generation: UInt64, into rows: LoneRows
    ) throws(CoreDataError) {
        if let row = try row(key, generation: generation) { rows.take(row) }
    }
}
