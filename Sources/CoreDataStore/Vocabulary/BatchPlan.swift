import CoreDataModel
import CoreDataPredicate

/// A batch request as values. A store writes its rows without creating objects.
package enum BatchPlan: Sendable {
    case insert(Insert)
    case update(Update)
    case delete(Delete)

    package struct Insert: Sendable {
        package let entity: EntityLayout
        package let duplicates: Duplicates
        /// The values, one row after another, with one value for each value slot; transient slots
        /// are null.
        package var values: ContiguousArray<Value> = []
        /// The slots that the program has set in each row, in slot order.
        package var named: [[Int]] = []

        package init(entity: EntityLayout, duplicates: Duplicates) {
            self.entity = entity
            self.duplicates = duplicates
        }
    }

    /// Determines what happens to a new row whose unique values an existing row already has.
    package enum Duplicates: Sendable {
        /// The existing row is unchanged.
        case keepStored
        /// The existing row is updated with the values that the program has set.
        case updateStored
    }

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
        /// An expression that is computed from the former row.
        case expression(NSExpression)
    }

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

/// The name and the author of the context that writes, for a store's history.
package struct WriteOrigin: Sendable, Equatable {
    package var author: String?
    package var contextName: String?

    package init(author: String? = nil, contextName: String? = nil) {
        self.author = author
        self.contextName = contextName
    }
}
