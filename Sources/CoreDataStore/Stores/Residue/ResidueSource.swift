import CoreDataModel
import CoreDataSQL

/// The reads of a residue's test: one transaction of a store, so that all see one state.
package protocol ResidueSource {
    var layout: ModelLayout { get }

    /// The rows that a residue's test begins with. One SELECT.
    func candidates(of residue: Residue) throws(CoreDataError) -> FetchedRows

    /// Rows by their keys, without missing ones. One SELECT.
    func rows(
        _ keys: ContiguousArray<Int64>, _ entity: EntityLayout
    ) throws(CoreDataError) -> FetchedRows

    /// The members of one relationship for many owners. One SELECT, or two if members have several
    /// owners.
    func destinations(
        of owners: ContiguousArray<Int64>, _ entity: EntityLayout, slot: Int
    ) throws(CoreDataError) -> FetchedDestinations

    /// Says in the log what was evaluated in memory.
    func note(_ text: String)
}
