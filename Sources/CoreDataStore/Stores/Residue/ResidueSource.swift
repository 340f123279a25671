import CoreDataModel
import CoreDataSQL

/// The reads that the test of a residue needs: conditions that SQL cannot express. They run in one
/// transaction, so they see the same state.
package protocol ResidueSource {
    var layout: ModelLayout { get }

    /// Selects the candidates. Runs one SELECT.
    func candidates(of residue: Residue) throws(CoreDataError) -> FetchedRows

    /// Reads rows by their keys. Missing rows are omitted. Runs one SELECT.
    func rows(
        _ keys: ContiguousArray<Int64>, _ entity: EntityLayout
    ) throws(CoreDataError) -> FetchedRows

    /// Reads the members of one relationship for many owners. Runs one SELECT, or two if a member
    /// can have several owners.
    func destinations(
        of owners: ContiguousArray<Int64>, _ entity: EntityLayout, slot: Int
    ) throws(CoreDataError) -> FetchedDestinations

    /// Logs a text that describes what was evaluated in memory.
    func note(_ text: String)
}
