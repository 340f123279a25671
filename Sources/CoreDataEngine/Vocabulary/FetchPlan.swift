import CoreDataModel
import CoreDataPredicate

/// A fetch request as values: what a store is asked.
///
/// Objects in the predicate have been replaced by their ids before a plan is made.
package struct FetchPlan: Sendable {
    package var entity: EntityLayout
    package var includesSubentities: Bool
    package var predicate: NSPredicate?
    package var sortDescriptors: [NSSortDescriptor]
    /// Zero for none.
    package var limit: Int
    package var offset: Int

    package init(
        entity: EntityLayout, includesSubentities: Bool = true, predicate: NSPredicate? = nil,
        sortDescriptors: [NSSortDescriptor] = [], limit: Int = 0, offset: Int = 0
    ) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
        self.limit = limit
        self.offset = offset
    }
}

/// Rows in the order of the request, in blocks of at most `RowBlockBuilder.rowsPerBlock`.
package struct FetchedRows: Sendable {
    package var blocks: [RowBlock]

    package init(blocks: [RowBlock] = []) { self.blocks = blocks }

    package var count: Int { blocks.reduce(0) { $0 + $1.count } }
}

/// The destinations of one relationship for many owners.
///
/// `members[i]` are the destinations of the i-th owner asked for, in relationship order.
package struct FetchedDestinations: Sendable {
    package var members: [[ObjectKey]]
    /// The destinations' rows, where the store read them anyway.
    package var rows: FetchedRows

    package init(members: [[ObjectKey]], rows: FetchedRows) {
        self.members = members
        self.rows = rows
    }
}
