import CoreDataModel
import CoreDataPredicate

/// A batch request as values: rows that a store writes without objects.
package enum BatchPlan: Sendable {
    case insert(Insert)
    case update(Update)
    case delete(Delete)

    /// New rows of one entity.
    package struct Insert: Sendable {
        package let entity: EntityLayout
        package let duplicates: Duplicates
        /// Row after row, one value for each value slot; transient slots are null.
        package var values: ContiguousArray<Value> = []
        /// For each row the slots that the program named, in slot order.
        package var named: [[Int]] = []

        package init(entity: EntityLayout, duplicates: Duplicates) {
            self.entity = entity
            self.duplicates = duplicates
        }
    }

    /// What becomes of a row whose unique values another row has.
    package enum Duplicates: Sendable {
        /// The other row stays as it is.
        case keepStored
        /// The other row takes the values that the program named.
        case updateStored
    }

    /// New values for all rows that match.
    package struct Update: Sendable {
        package let plan: FetchPlan
        package let assignments: [(slot: Int, value: Assigned)]

        package init(plan: FetchPlan, assignments: [(slot: Int, value: Assigned)]) {
            self.plan = plan
            self.assignments = assignments
        }
    }

    package enum Assigned: Sendable {
        case value(Value)
        /// Computed from the row as it was.
        case expression(NSExpression)
    }

    /// Rows to delete.
    package struct Delete: Sendable {
        package let plan: FetchPlan
        /// The rows' keys; nil for all that match the plan.
        package let keys: ContiguousArray<Int64>?

        package init(plan: FetchPlan, keys: ContiguousArray<Int64>? = nil) {
            self.plan = plan
            self.keys = keys
        }
    }

    package var entity: EntityLayout {
        switch self {
        case .insert(let insert): insert.entity
        case .update(let update): update.plan.entity
        case .delete(let delete): delete.plan.entity
        }
    }
}

/// Who writes, as a store's history names it.
package struct WriteOrigin: Sendable, Equatable {
    package var author: String?
    package var contextName: String?

    package init(author: String? = nil, contextName: String? = nil) {
        self.author = author
        self.contextName = contextName
    }
}
