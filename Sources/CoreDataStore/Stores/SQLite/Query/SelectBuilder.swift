import CoreDataModel
import CoreDataPredicate

/// Converts a fetch plan to one SELECT; created by `SQLiteStore` for each fetch and count.
struct SelectBuilder {
    package let plan: FetchPlan
    package let layout: ModelLayout
    package let numbers: EntityNumbers
    /// The keys of the rows that passed a test in memory, which replace the predicate; nil if SQL
    /// evaluates the whole predicate.
    package var passing: ContiguousArray<Int64>?
    /// The R-trees that the file has.
    package let trees: Set<String>

    package init(
        plan: FetchPlan, layout: ModelLayout, numbers: EntityNumbers, trees: Set<String>
    ) {
        self.plan = plan
        self.layout = layout
        self.numbers = numbers
        self.trees = trees
    }

    /// A translator that converts the plan's predicate to SQL, or finds that SQL cannot express it.
    func translator() -> PredicateTranslator {
        let translator = PredicateTranslator(entity: plan.entity, layout: layout, numbers: numbers)
        translator.leavesResidue = true
        translator.trees = trees
        return translator
    }

    /// The statement that returns the columns of a list.
    ///
    /// - Throws: ``CoreDataError`` with code `invalidArgument` and Core Data's text for a request
    ///   that a store cannot answer.
    package func select(_ list: String) throws(CoreDataError) -> Fragment {
        let parts = try makeParts(sorts: true)
        let distinct = parts.repeatsRows ? "DISTINCT " : ""
        return "SELECT \(distinct)\(list)" + parts.tail + limit
    }

    /// The statement that counts the rows, within the limit and offset of the request.
    package func count() throws(CoreDataError) -> Fragment {
        let parts = try makeParts(sorts: false)
        if limit.isEmpty {
            let list = parts.repeatsRows ? "COUNT( DISTINCT t0.Z_PK)" : "COUNT(*)"
            return "SELECT \(list)" + parts.tail
        }
        let distinct = parts.repeatsRows ? "DISTINCT " : ""
        return "SELECT COUNT(*) FROM (SELECT \(distinct)t0.Z_PK" + parts.tail + limit + ")"
    }

    /// The matching rows, as a condition on `t0` for a statement with its own joins.
    package func filter() throws(CoreDataError) -> Fragment {
        let parts = try makeParts(sorts: false)
        let table = " FROM \(plan.entity.tableName) t0"
        if !parts.repeatsRows, parts.tail.text.hasPrefix(table + " WHERE") {
            let condition = parts.tail.text.dropFirst(table.count)
            return Fragment(String(condition), parts.tail.bindings)
        }
        if parts.tail.text == table { return Fragment("") }
        return " WHERE t0.Z_PK IN (SELECT t0.Z_PK" + parts.tail + ")"
    }

    private struct Parts {
        /// The statement from ` FROM` on, without the limit.
        var tail: Fragment
        var repeatsRows: Bool
    }

    private func makeParts(sorts: Bool) throws(CoreDataError) -> Parts {
        let translator = translator()
        var conditions: [Fragment] = []
        if let filter = entityFilter { conditions.append(filter) }
        if let passing {
            conditions.append(
                Fragment(
                    " t0.Z_PK IN (SELECT value FROM \(StoreFunctions.integerArray)(?))",
                    [.array(passing)]))
        } else if let predicate = plan.predicate {
            conditions.append(try translator.translate(predicate, isRequired: true))
        }
        let order = sorts ? try translator.orderBy(plan.sortDescriptors) : nil
        var tail = Fragment(" FROM \(plan.entity.tableName) t0\(translator.root.joinText)")
        switch conditions.count {
        case 0: break
        case 1: tail = tail + " WHERE " + conditions[0]
        default: tail = tail + " WHERE (" + Fragment.joined(conditions, separator: " AND ") + ")"
        }
        if let order { tail = tail + " ORDER BY \(order)" }
        return Parts(tail: tail, repeatsRows: translator.repeatsRows)
    }

    /// Excludes other entities of the same table.
    private var entityFilter: Fragment? {
        let entity = plan.entity
        let wanted =
            plan.includesSubentities ? entity.familyRange : entity.index..<(entity.index + 1)
        if wanted == layout[entity.rootIndex].familyRange { return nil }
        let bindings = wanted.map { Binding.integer(numbers.number(of: $0)) }
        if bindings.count == 1 { return Fragment(" t0.Z_ENT = ?", bindings) }
        let list = bindings.map { _ in "?" }.joined(separator: ", ")
        return Fragment(" t0.Z_ENT IN (\(list))", bindings)
    }

    private var limit: String { Self.limit(plan) }

    /// `  LIMIT … OFFSET …`; empty without either.
    package static func limit(_ plan: FetchPlan) -> String {
        if plan.offset > 0 {
            return "  LIMIT \(plan.limit > 0 ? plan.limit : -1) OFFSET \(plan.offset)"
        }
        return plan.limit > 0 ? "  LIMIT \(plan.limit)" : ""
    }
}
