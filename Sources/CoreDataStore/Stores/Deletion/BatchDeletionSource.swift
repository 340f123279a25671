import CoreDataModel
import CoreDataSQL

/// Runs the statements of a batch deletion in an open transaction.
///
/// The keys of the rows are the only parameter of each statement.
package protocol BatchDeletionSource {
    associatedtype Failure: Error

    var schema: StoreSchema { get }

    /// The condition that a column contains one of the keys.
    func isAmong(_ column: String) -> String

    func execute(_ sql: String, _ keys: ContiguousArray<Int64>) throws(Failure)

    /// Returns the first column of the result, which contains integers.
    func integers(
        _ sql: String, _ keys: ContiguousArray<Int64>
    ) throws(Failure) -> ContiguousArray<Int64>

    /// Returns the keys of the rows `t0` of an entity for which a condition is true.
    func rows(
        of entity: EntityLayout, where condition: String, _ keys: ContiguousArray<Int64>
    ) throws(Failure) -> ContiguousArray<ObjectKey>

    /// Runs a statement that returns the entity numbers and the keys of rows of an entity.
    func keys(
        of entity: EntityLayout, _ sql: String, _ keys: ContiguousArray<Int64>
    ) throws(Failure) -> ContiguousArray<ObjectKey>

    /// Keeps the values that the history preserves after a deletion.
    func keepTombstones(
        of keys: ContiguousArray<Int64>, _ entity: EntityLayout, in history: inout HistoryRecord
    ) throws(Failure)

    /// The error for a deletion that a remaining row does not permit.
    func refusal(_ refusal: BatchDeletionRefusal, sql: String) -> Failure
}

/// The refusal of a batch deletion, because a remaining row requires a deleted row.
package struct BatchDeletionRefusal {
    /// The beginning of the problem. It distinguishes this error from that of a trigger in a file.
    static let beginning = "Batch delete failed"

    package let problem: String

    init(problem: String) { self.problem = problem }

    /// The problem as Core Data reports it, and the remedy.
    package var message: String {
        "Constraint trigger violation: \(problem). Nothing was deleted; delete the rows at the"
            + " other end first, or make the inverse optional"
    }
}
