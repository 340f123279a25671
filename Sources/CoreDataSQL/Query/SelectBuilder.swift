import CoreDataModel
import CoreDataPredicate

/// Converts a fetch plan to one SELECT.
package struct SelectBuilder: Sendable {
    package let plan: FetchPlan
    package let schema: StoreSchema
    /// The keys of the rows that passed a test in memory; they replace the predicate. Nil if SQL
    /// evaluates the whole predicate.
    var passing: PassingRows?

    package init(plan: FetchPlan, schema: StoreSchema) {
        self.plan = plan
        self.schema = schema
    }

    private var key: String { "t0.\(schema.names.key)" }

    func translator() -> PredicateTranslator {
        PredicateTranslator(schema, entity: plan.entity, leavesResidue: true)
    }

    /// Selects the given list of columns.
    ///
    /// - Throws: ``QueryRefusal`` with Core Data's message if a store cannot answer the request.
    package func select(_ list: String) throws(QueryRefusal) -> Fragment {
        if let passing, passing.isOrdered { return select(list, inOrderOf: passing.keys) }
        let parts = try makeParts(sorts: true)
        let distinct = parts.repeatsRows ? "DISTINCT " : ""
        return "SELECT \(distinct)\(list)" + parts.tail + limit
    }

    /// Counts the rows that remain after the limit and the offset.
    package func count() throws(QueryRefusal) -> Fragment {
        let parts = try makeParts(sorts: false)
        if limit.isEmpty {
            let list = parts.repeatsRows ? "COUNT( DISTINCT \(key))" : "COUNT(*)"
            return "SELECT \(list)" + parts.tail
        }
        let distinct = parts.repeatsRows ? "DISTINCT " : ""
        return "SELECT COUNT(*) FROM (SELECT \(distinct)\(key)" + parts.tail + limit
            + ")\(schema.dialect.nestedName)"
    }

    /// A WHERE clause for the matching rows, for a statement on `t0` with its own joins. Empty if
    /// all rows match.
    package func filter() throws(QueryRefusal) -> Fragment {
        let parts = try makeParts(sorts: false)
        if !parts.repeatsRows, parts.joins.isEmpty { return parts.condition }
        return " WHERE \(key) IN (SELECT \(key)" + parts.tail + ")"
    }

    private struct Parts {
        var table: String
        var joins: String
        /// ` WHERE` and the conditions; empty without conditions.
        var condition: Fragment
        /// ` ORDER BY` and the sort terms; empty without sort terms.
        var order: String
        var repeatsRows: Bool

        /// The part of the statement from ` FROM` to the order, without the limit.
        var tail: Fragment { table + joins + condition + order }
    }

    private func makeParts(sorts: Bool) throws(QueryRefusal) -> Parts {
        let translator = translator()
        var conditions: [Fragment] = []
        if let filter = entityFilter { conditions.append(filter) }
        if let passing {
            let keys = Fragment.parameter(.array(passing.keys))
            conditions.append(" " + schema.dialect.isAmong(key, keys))
        } else if let predicate = plan.predicate {
            conditions.append(try translator.translate(predicate, isRequired: true))
        }
        var order = sorts ? try translator.orderBy(plan.sortDescriptors) : nil
        if sorts, schema.dialect.sortsKeys { order = order.map { "\($0), \(key)" } ?? key }
        let condition: Fragment =
            switch conditions.count {
            case 0: Fragment()
            case 1: " WHERE " + conditions[0]
            default: " WHERE (" + Fragment.joined(conditions, separator: " AND ") + ")"
            }
        return Parts(
            table: " FROM \(plan.entity.tableName) t0", joins: translator.root.joinText,
            condition: condition, order: order.map { " ORDER BY \($0)" } ?? "",
            repeatsRows: translator.repeatsRows)
    }

    private func select(_ list: String, inOrderOf keys: ContiguousArray<Int64>) -> Fragment {
        "SELECT \(list)" + schema.rows(of: plan.entity, in: .parameter(.array(keys)))
    }

    /// The condition that excludes other entities of the same table; nil if it is not needed.
    private var entityFilter: Fragment? {
        let entity = plan.entity
        let wanted =
            plan.includesSubentities ? entity.familyRange : entity.index..<(entity.index + 1)
        if wanted == schema.layout[entity.rootIndex].familyRange { return nil }
        let column = " t0.\(schema.names.entity)"
        let numbers = wanted.map { Fragment.parameter(.integer(schema.numbers.number(of: $0))) }
        if numbers.count == 1 { return "\(column) = " + numbers[0] }
        return "\(column) IN (" + Fragment.joined(numbers, separator: ", ") + ")"
    }

    /// The LIMIT and OFFSET clause. Empty if the plan has neither, or if they were applied in
    /// memory.
    var limit: String {
        if let passing, passing.isOrdered { return "" }
        return schema.dialect.window(limit: plan.limit, offset: plan.offset)
    }
}

/// The keys of the rows that passed a test in memory.
struct PassingRows: Sendable {
    let keys: ContiguousArray<Int64>
    /// Whether the keys are already sorted, and the limit and the offset applied.
    let isOrdered: Bool
}
