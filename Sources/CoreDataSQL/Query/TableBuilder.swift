import CoreDataModel
import CoreDataPredicate

/// Converts a fetch of dictionaries to one SELECT.
///
/// The SQL has the forms of Core Data's logs: `COUNT( t0.ZX) AS __var0`, `GROUP BY`, `HAVING __var0
/// > ?`. A fetch without groups may request a plain column and an aggregate. The aggregate is then
/// a sub-select, so each row contains its value.
package struct TableBuilder {
    package let table: TablePlan
    /// Builds the FROM clause and the condition that selects the rows.
    package let rows: SelectBuilder

    package init(table: TablePlan, rows: SelectBuilder) {
        self.table = table
        self.rows = rows
    }

    private var plan: FetchPlan { rows.plan }

    package struct Statement {
        package var select: Fragment
        package var columns: [ResultColumn]
    }

    package func make() throws(QueryRefusal) -> Statement {
        let translator = PredicateTranslator(rows.schema, entity: plan.entity)
        let filter = try rows.filter()
        var list = SelectList()
        for column in table.columns { try add(column, to: &list, translator) }
        var groups: [String] = []
        for group in table.groups { groups.append(try groupTerm(group, translator)) }
        try check(list, groups, translator)
        var having: Fragment?
        if let predicate = table.having {
            translator.computed = list.computed
            translator.aggregatesGroups = true
            having = try translator.translate(predicate, isRequired: false)
        }
        let order = try translator.orderBy(plan.sortDescriptors)
        let source = " FROM \(plan.entity.tableName) t0\(translator.root.joinText)" + filter
        var select =
            Fragment("SELECT \(table.isDistinct ? "DISTINCT " : "")")
            + list.text(repeating: isRepeating(list) ? source : nil) + source
        if !groups.isEmpty { select = select + " GROUP BY  \(groups.joined(separator: ", "))" }
        if let having { select = select + " HAVING" + having }
        if let order { select = select + " ORDER BY \(order)" }
        return Statement(select: select + rows.limit, columns: list.results)
    }

    /// Whether each row repeats the aggregates over all rows: the fetch has no groups, but plain
    /// columns and aggregates.
    private func isRepeating(_ list: SelectList) -> Bool {
        table.groups.isEmpty && list.hasPlain && list.hasAggregates
    }

    private func check(
        _ list: SelectList, _ groups: [String], _ translator: PredicateTranslator
    ) throws(QueryRefusal) {
        if !groups.isEmpty, let odd = list.plain.first(where: { !groups.contains($0.text) }) {
            throw translator.refuse(
                "SELECT clauses in queries with GROUP BY components can only contain properties"
                    + " named in the GROUP BY or aggregate functions; '\(odd.name)' is neither."
                    + " Add it to propertiesToGroupBy.")
        }
        if table.having != nil, table.groups.isEmpty {
            throw translator.refuse(
                "havingPredicate of a fetch request needs propertiesToGroupBy; set predicate to"
                    + " filter rows.")
        }
    }

    // MARK: Columns

    private func add(
        _ column: TablePlan.Column, to list: inout SelectList, _ translator: PredicateTranslator
    ) throws(QueryRefusal) {
        if let aggregate = try aggregate(column.expression, translator) {
            list.append(column, aggregate.text, kind: aggregate.kind, isAggregate: true)
            return
        }
        switch try translator.side(column.expression, isRequired: false) {
        case .column(let path):
            list.append(column, path)
        case .constant(let operand):
            let value = try translator.binding(operand, for: column.kind)
            list.append(column, .parameter(value), kind: nil, isAggregate: false)
        case .computed(let fragment, let kind):
            list.append(column, fragment, kind: kind, isAggregate: false)
        case .toMany:
            throw translator.refuse(
                "Invalid to-many relationship in setPropertiesToFetch: (\(column.name))")
        case .list:
            throw translator.refuse("Unsupported expression \(column.expression)")
        }
    }

    private static let functions = ["count:": "COUNT(", "min:": "min(", "max:": "max("]

    /// A call of an aggregate function. Sums and averages are in lower case like most functions.
    private func call(_ name: String, _ argument: Fragment, _ kind: ValueKind?) -> Fragment {
        if let function = Self.functions[name] { return "\(function) " + argument + ")" }
        let dialect = rows.schema.dialect
        let (before, after) = name == "average:" ? dialect.average : dialect.total(of: kind)
        return "\(before.lowercased()) " + argument + after
    }

    /// The kind of an aggregate's values.
    private func kind(of name: String, _ argument: ValueKind) -> ValueKind {
        switch name {
        case "count:": .integer64
        case "min:", "max:": argument
        case "sum:" where argument == .decimal && rows.schema.dialect.hasDecimals: .decimal
        default: .double
        }
    }

    private func aggregate(
        _ expression: NSExpression, _ translator: PredicateTranslator
    ) throws(QueryRefusal) -> (text: Fragment, kind: ValueKind?)? {
        guard let (name, argument) = TablePlan.Column.aggregate(of: expression) else { return nil }
        switch try translator.side(argument, isRequired: false) {
        case .column(let path):
            if let operation = PredicateTranslator.collectionFunctions[name] {
                try translator.check(operation, path)
            }
            return (call(name, Fragment(path.text), path.kind), kind(of: name, path.kind))
        case .computed(let fragment, let kind):
            return (call(name, fragment, kind), name == "count:" ? .integer64 : kind)
        case .toMany:
            return try aggregateOverMembers(expression, name, translator)
        case .constant, .list:
            throw translator.refuse("Unsupported function expression \(expression)")
        }
    }

    /// An aggregate over a to-many relationship, such as `count:(items)`. It covers the members of
    /// all rows of a group. Nil in a fetch without groups.
    private func aggregateOverMembers(
        _ expression: NSExpression, _ name: String, _ translator: PredicateTranslator
    ) throws(QueryRefusal) -> (text: Fragment, kind: ValueKind?)? {
        guard !table.groups.isEmpty else { return nil }
        let fragment = try translator.fragment(expression)
        switch name {
        // `items` is counted for each row, and the counts are added.
        case "count:": return (call("sum:", fragment, .integer64), .integer64)
        case "sum:": return (call(name, fragment, nil), .double)
        case "min:", "max:": return (call(name, fragment, nil), nil)
        default:
            throw translator.refuse("Unsupported function expression \(expression) with groups")
        }
    }

    // MARK: Groups

    private func groupTerm(
        _ expression: NSExpression, _ translator: PredicateTranslator
    ) throws(QueryRefusal) -> String {
        guard case .column(let column) = try translator.side(expression, isRequired: false) else {
            throw translator.refuse(
                "Unsupported expression \(expression) in propertiesToGroupBy; name an attribute"
                    + " or a to-one relationship")
        }
        return column.text
    }
}

/// Collects the columns of a SELECT list.
private struct SelectList {
    private struct Part {
        let text: Fragment
        /// The alias, such as ` AS __var0`; empty for a column of a table.
        var alias = ""
        var isAggregate = false
    }

    private var parts: [Part] = []
    private(set) var results: [ResultColumn] = []
    /// The columns that the HAVING clause may refer to, by name.
    private(set) var computed: [String: PathColumn] = [:]
    /// The columns of tables, without the aggregates.
    private(set) var plain: [(name: String, text: String)] = []
    private var variables = 0
    private var width = 0

    var hasPlain: Bool { parts.contains { !$0.isAggregate } }
    var hasAggregates: Bool { parts.contains(where: \.isAggregate) }

    mutating func append(_ column: TablePlan.Column, _ path: PathColumn) {
        let entity = path.entityText
        let text = entity.map { "\(path.text), \($0)" } ?? path.text
        parts.append(Part(text: Fragment(text)))
        computed[column.name] = path
        plain.append((column.name, path.text))
        results.append(
            ResultColumn(
                index: width, kind: column.kind ?? path.kind, storedKind: path.kind,
                destination: path.destination?.index, hasEntity: entity != nil))
        width += entity == nil ? 1 : 2
    }

    mutating func append(
        _ column: TablePlan.Column, _ fragment: Fragment, kind: ValueKind?, isAggregate: Bool
    ) {
        let alias = "__var\(variables)"
        variables += 1
        parts.append(Part(text: fragment, alias: " AS \(alias)", isAggregate: isAggregate))
        computed[column.name] = PathColumn(
            text: alias, kind: kind ?? .double, destination: nil)
        results.append(
            ResultColumn(
                index: width, kind: column.kind, storedKind: kind, destination: nil,
                hasEntity: false))
        width += 1
    }

    /// - Parameter source: the FROM clause of the sub-selects, if each row repeats the aggregates
    ///   over all rows.
    func text(repeating source: Fragment?) -> Fragment {
        Fragment.joined(
            parts.map { part in
                guard let source, part.isAggregate else { return part.text + part.alias }
                return "(SELECT " + part.text + source + ")\(part.alias)"
            }, separator: ", ")
    }
}
