import CoreDataModel
import CoreDataPredicate

/// Translates aggregates: collection operators, and functions over members or over the rows of a
/// group.
extension PredicateTranslator {
    /// An aggregate function. `@avg` counts a missing value as 0, as key-value coding does.
    /// `average:` ignores it, as AVG does in SQL.
    enum Aggregate {
        case count, sum, mean, average, min, max

        /// Whether the aggregate has a value for an empty collection.
        var isOfNone: Bool {
            switch self {
            case .count, .sum, .mean: true
            case .average, .min, .max: false
            }
        }

        var adds: Bool {
            switch self {
            case .sum, .mean, .average: true
            case .count, .min, .max: false
            }
        }

        /// The kind of the aggregate's value; nil if the value is an integer in memory and a
        /// fraction in SQL.
        func kind(of column: PathColumn) -> ValueKind? {
            switch self {
            case .count: .integer64
            case .min, .max: column.kind
            case .mean, .average: .double
            case .sum: column.kind == .double || column.kind == .float ? .double : nil
            }
        }

        /// The kind of the aggregate's value in a database with types.
        func typedKind(of column: PathColumn) -> ValueKind {
            kind(of: column) ?? (column.kind == .decimal ? .decimal : .double)
        }

        func text(_ column: String, _ kind: ValueKind?, in dialect: any Dialect) -> String {
            let (before, after) = dialect.total(of: kind)
            let total = before + column + after
            return switch self {
            case .count: "COUNT(\(column))"
            case .sum: total
            case .mean: "(CASE COUNT(*) WHEN 0 THEN 0 ELSE \(total) / COUNT(*) END)"
            case .average: dialect.average.before + column + dialect.average.after
            case .min: "MIN(\(column))"
            case .max: "MAX(\(column))"
            }
        }
    }

    private static let aggregates: [String: Aggregate] = [
        "@count": .count, "@sum": .sum, "@avg": .mean, "@min": .min, "@max": .max,
    ]

    func collectionOperator(
        _ keys: ArraySlice<String>, in scope: QueryScope
    ) throws(QueryRefusal) -> Side? {
        guard let place = keys.firstIndex(where: { $0.hasPrefix("@") }) else { return nil }
        guard let operation = Self.aggregates[keys[place]] else {
            throw beyondSQL("Unsupported collection operator \(keys[place])")
        }
        let before = keys[..<place]
        guard case .toMany(let step, let inner) = try resolve(before, in: scope, isRequired: false)
        else {
            throw refuse("Unsupported collection operator \(keys[place]): no to-many key before it")
        }
        // Two members may have the same destination. A set in memory contains it once, but SQL
        // would count it twice.
        if leavesResidue, !inner.isEmpty {
            throw beyondSQL("Unsupported key path before \(keys[place])")
        }
        let (value, kind) = try aggregate(operation, step, inner + keys[(place + 1)...])
        return .computed(operation.isOfNone ? ofPath(value, step) : value, kind: kind)
    }

    /// The aggregate, or NULL if a to-one relationship in front of the members is nil.
    private func ofPath(_ value: Fragment, _ step: ToManyStep) -> Fragment {
        if step.owner == step.scope.alias { return value }
        return "(CASE WHEN \(step.owner).\(names.key) IS NULL THEN NULL ELSE " + value + " END)"
    }

    /// Checks that SQL computes an aggregate of the column's values as the evaluation in memory
    /// does.
    func check(_ operation: Aggregate, _ column: PathColumn) throws(QueryRefusal) {
        if operation.adds, !dialect.addsValues { throw beyondSQL("a sum or an average") }
        // Without a decimal type, a database adds decimal numbers as binary floating-point numbers.
        if leavesResidue, column.kind == .decimal, operation.adds {
            guard dialect.hasDecimals, case .sum = operation else {
                throw beyondSQL("a sum of decimal numbers")
            }
        }
        if dialect.isTyped, !operation.takes(column) {
            throw beyondSQL("Unsupported aggregate of values of the kind \(column.kind)")
        }
    }

    private func aggregate(
        _ operation: Aggregate, _ step: ToManyStep, _ keys: ArraySlice<String>
    ) throws(QueryRefusal) -> (Fragment, ValueKind?) {
        if case .count = operation, keys.isEmpty {
            let source = try source(step, needsMembers: false)
            let count = operation.text(source.key, nil, in: dialect)
            return (
                Fragment("(SELECT \(count) FROM \(source.from) WHERE (\(source.link)) )"),
                .integer64
            )
        }
        let source = try source(step, needsMembers: true)
        return try inside(source.scope) { () throws(QueryRefusal) in
            guard case .column(let column) = try resolve(keys, in: source.scope, isRequired: false)
            else { throw beyondSQL("multiple to-many keys not allowed here") }
            try check(operation, column)
            let value = operation.text(column.text, column.kind, in: dialect)
            let text =
                "(SELECT \(value) FROM \(source.from)"
                + "\(source.scope.joinText) WHERE (\(source.link)) )"
            let isMean = operation.kind(of: column) == .double
            var kind = leavesResidue || isMean ? operation.kind(of: column) : column.kind
            if dialect.isTyped { kind = operation.typedKind(of: column) }
            return (Fragment(text), kind)
        }
    }

    /// Translates `SUBQUERY(items, $x, predicate).@count`.
    ///
    /// - Parameter isOfPath: true for `.@count`, false for the function `count:`. They differ if a
    ///   to-one relationship in front of `items` is nil: the path then has no value, and the
    ///   function returns 0.
    func count(
        _ collection: NSExpression, _ variable: String, _ predicate: NSPredicate, isOfPath: Bool
    ) throws(QueryRefusal) -> Fragment {
        guard let path = try path(of: collection),
            case .toMany(let step, let rest) = try resolve(
                path.keys, in: path.scope, isRequired: false), rest.isEmpty
        else { throw beyondSQL("Unsupported SUBQUERY: its collection is not a relationship") }
        let source = try source(step, needsMembers: true, variable: variable)
        return try inside(source.scope) { () throws(QueryRefusal) in
            let condition = try translate(predicate, isRequired: true)
            let count =
                "(SELECT COUNT(\(source.key)) FROM \(source.from)\(source.scope.joinText) "
                + "WHERE (\(source.link) AND " + condition + ") )"
            return isOfPath ? ofPath(count, step) : count
        }
    }

    static let collectionFunctions: [String: Aggregate] = [
        "count:": .count, "sum:": .sum, "average:": .average, "min:": .min, "max:": .max,
    ]

    func collectionFunction(
        _ operation: Aggregate, _ argument: NSExpression, _ expression: NSExpression
    ) throws(QueryRefusal) -> Side {
        if case .count = operation,
            case .subquery(let collection, let variable, let predicate) = argument.node
        {
            let count = try count(collection, variable, predicate, isOfPath: false)
            return .computed(count, kind: .integer64)
        }
        guard let path = try path(of: argument) else {
            throw beyondSQL("Unsupported function expression \(expression)")
        }
        switch try resolve(path.keys, in: path.scope, isRequired: false) {
        case .toMany(let step, let rest):
            let (value, kind) = try aggregate(operation, step, rest)
            return .computed(value, kind: kind)
        case .column(let column):
            guard aggregatesGroups else {
                throw refuse("Unsupported function expression \(expression)")
            }
            try check(operation, column)
            let kind =
                dialect.isTyped ? operation.typedKind(of: column) : operation.kind(of: column)
            return .computed(
                Fragment(operation.text(column.text, column.kind, in: dialect)), kind: kind)
        }
    }
}
