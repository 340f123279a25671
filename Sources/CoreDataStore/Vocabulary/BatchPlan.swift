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
        /// The slots that the program named for each row, in slot order.
        package var named: [[Int]] = []

        package init(entity: EntityLayout, duplicates: Duplicates) {
            self.entity = entity
            self.duplicates = duplicates
        }
    }

    /// The treatment of a new row whose unique values another row already has.
    package enum Duplicates: Sendable {
        /// The other row is unchanged.
        case keepStored
        /// The other row takes the values that the program named.
        case updateStored
    }

    /// New values for all matching rows.
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
        /// Computed from the former row.
        case expression(NSExpression)
    }

    /// Rows to delete.
    package struct Delete: Sendable {
        package let plan: FetchPlan
        /// The rows' keys; nil for all matching rows.
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

/// The writer's names for a store's history.
package struct WriteOrigin: Sendable, Equatable {
    package var author: String?
    package var contextName: String?

    package init(author: String? = nil, contextName: String? = nil) {
        self.author = author
        self.contextName = contextName
    }
}
