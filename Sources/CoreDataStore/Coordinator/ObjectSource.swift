import CoreDataModel
import CoreDataTrace

/// The source of a context's rows: its coordinator, or its parent context.
///
/// Only values are passed; rows of a parent context contain the parent's unsaved values.
package protocol ObjectSource: AnyObject {
    /// Increases whenever rows that were read earlier may have been replaced.
    var generation: UInt64 { get }

    /// Whether a row that was read at this generation may still be used. Runs no statement.
    func stillHolds(_ key: ObjectKey, since generation: UInt64) -> Bool

    /// The newest row of an object, or nil if it does not exist.
    ///
    /// - Parameter notBefore: a time in seconds of the system clock. Rows that were cached earlier
    ///   are read again; nil accepts every cached row.
    func row(
        _ key: ObjectKey, notBefore: Double?
    ) throws(CoreDataError) -> (row: RowReference, source: Event.FaultSource)?

    /// Rows of many objects of the entity and its subentities, read together.
    func rows(
        _ keys: ContiguousArray<ObjectKey>, entity: EntityLayout
    ) throws(CoreDataError) -> FetchedRows

    func destinations(
        of owner: ObjectKey, slot: Int
    ) throws(CoreDataError) -> ContiguousArray<ObjectKey>

    func destinations(
        ofAll owners: ContiguousArray<ObjectKey>, entity: EntityLayout, slot: Int
    ) throws(CoreDataError) -> FetchedDestinations

    func fetchRows(_ plan: FetchPlan) throws(CoreDataError) -> FetchedRows
    func fetchKeys(_ plan: FetchPlan) throws(CoreDataError) -> KeyPages
    func count(_ plan: FetchPlan) throws(CoreDataError) -> Int
    /// The rows of a fetch of dictionaries. They contain only saved values, even if the source is a
    /// parent context.
    func fetchTable(_ plan: FetchPlan, _ table: TablePlan) throws(CoreDataError) -> FetchedTable

    /// The store that contains the entity's row with this key. For a new object, the store to which
    /// it will be saved.
    func store(for entity: EntityLayout, key: Int64) -> NSPersistentStore?
    func stores(of entity: EntityLayout) -> [NSPersistentStore]
}

extension ObjectSource {
    package func stillHolds(_ key: ObjectKey, since generation: UInt64) -> Bool {
        generation == self.generation
    }
}
