import CoreDataModel
import CoreDataPredicate

/// One side of a comparison in SQL's terms.
enum Side {
    case column(PathColumn)
    /// A value; how it is bound depends on what it is compared with.
    case constant(Operand)
    /// Anything computed; the kind is known where it is a number, a text or a date.
    case computed(Fragment, kind: ValueKind?)
    case list([NSExpression])
    case toMany(ToManyStep, rest: ArraySlice<String>)
}

/// Turning expressions into sides and fragments.
extension PredicateTranslator {
    package func side(_ expression: NSExpression, isRequired: Bool) throws(CoreDataError) -> Side {
        try below { () throws(CoreDataError) in try sideOfNode(expression, isRequired) }
    }

    private func sideOfNode(
        _ expression: NSExpression, _ isRequired: Bool
    ) throws(CoreDataError) -> Side {
        if let path = try path(of: expression) {
            return try side(path.keys, in: path.scope, isRequired: isRequired)
        }
        switch expression.node {
        case .constant(let value):
            if let name = (value as? NSExpressionDescription)?.name, let column = computed[name] {
                return .column(column)
            }
            return .constant(Operand(value))
        case .variable(let name):
            if let column = computed[name] { return .column(column) }
        case .aggregate(let elements): return .list(elements)
        case .function(let name, let arguments):
            return try function(name, arguments, expression)
        case .path(let base, let keys):
            guard case .subquery(let collection, let variable, let predicate) = base.node,
                keys == ["@count"]
            else { break }
            return .computed(try count(collection, variable, predicate), kind: .integer64)
        case .conditional(let predicate, let yes, let no):
            let condition = try translate(predicate, isRequired: false)
            let first = try fragment(yes), second = try fragment(no)
            return .computed(
                "(CASE WHEN " + condition + " THEN " + first + " ELSE " + second + " END)",
                kind: nil
            )
        case .block: throw refuse("Unsupported expression: blocks work in memory only")
        default: break
        }
        throw refuse("Unsupported expression \(expression)")
    }

    private func side(
        _ keys: ArraySlice<String>, in scope: QueryScope, isRequired: Bool
    ) throws(CoreDataError) -> Side {
        if let aggregate = try collectionOperator(keys, in: scope) { return aggregate }
        switch try resolve(keys, in: scope, isRequired: isRequired) {
        case .column(let column): return .column(column)
        case .toMany(let step, let rest): return .toMany(step, rest: rest)
        }
    }

    /// An expression as a number, text or date.
    func fragment(_ expression: NSExpression) throws(CoreDataError) -> Fragment {
        switch try side(expression, isRequired: false) {
        case .column(let column): return Fragment(column.text)
        case .constant(let operand): return .parameter(try binding(operand, for: nil))
        case .computed(let fragment, _): return fragment
        case .list: throw refuse("Unsupported expression \(expression)")
        case .toMany: throw refuse("to-many key not allowed here")
        }
    }
}

// MARK: Collection operators

extension PredicateTranslator {
    private static let aggregates = [
        "@count": "COUNT", "@sum": "TOTAL", "@avg": "AVG", "@min": "MIN", "@max": "MAX",
    ]

    /// `items.@count`, `items.@sum.price` or `items.price.@sum`; nil for any other path.
    private func collectionOperator(
        _ keys: ArraySlice<String>, in scope: QueryScope
    ) throws(CoreDataError) -> Side? {
        guard let place = keys.firstIndex(where: { $0.hasPrefix("@") }) else { return nil }
        guard let function = Self.aggregates[keys[place]] else {
            throw refuse("Unsupported collection operator \(keys[place])")
        }
        let before = keys[..<place]
        guard case .toMany(let step, let inner) = try resolve(before, in: scope, isRequired: false)
        else {
            throw refuse("Unsupported collection operator \(keys[place]): no to-many key before it")
        }
        return try aggregate(function, step, inner + keys[(place + 1)...])
    }

    private func aggregate(
        _ function: String, _ step: ToManyStep, _ keys: ArraySlice<String>
    ) throws(CoreDataError) -> Side {
        if function == "COUNT" {
            guard keys.isEmpty else { throw refuse("Unsupported key path behind @count") }
            let source = try source(step, needsMembers: false)
            return .computed(
                Fragment(
                    "(SELECT COUNT(\(source.key)) FROM \(source.from) WHERE (\(source.link)) )"),
                kind: .integer64)
        }
        let source = try source(step, needsMembers: true)
        return try inside(source.scope) { () throws(CoreDataError) in
            guard case .column(let column) = try resolve(keys, in: source.scope, isRequired: false)
            else { throw refuse("multiple to-many keys not allowed here") }
            let text =
                "(SELECT \(function)(\(column.text)) FROM \(source.from)"
                + "\(source.scope.joinText) WHERE (\(source.link)) )"
            return .computed(Fragment(text), kind: column.kind)
        }
    }

    /// `SUBQUERY(items, $x, predicate).@count`.
    private func count(
        _ collection: NSExpression, _ variable: String, _ predicate: NSPredicate
    ) throws(CoreDataError) -> Fragment {
        guard let path = try path(of: collection),
            case .toMany(let step, let rest) = try resolve(
                path.keys, in: path.scope, isRequired: false), rest.isEmpty
        else { throw refuse("Unsupported SUBQUERY: its collection is no to-many relationship") }
        let source = try source(step, needsMembers: true, variable: variable)
        return try inside(source.scope) { () throws(CoreDataError) in
            let condition = try translate(predicate, isRequired: true)
            return "(SELECT COUNT(\(source.key)) FROM \(source.from)\(source.scope.joinText) "
                + "WHERE (\(source.link) AND " + condition + ") )"
        }
    }
}

// MARK: Functions

extension PredicateTranslator {
    private static let operators = [
        "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/",
        "modulus:by:": "%", "bitwiseAnd:with:": "&", "bitwiseOr:with:": "|",
        "leftshift:by:": "<<", "rightshift:by:": ">>",
    ]

    private static let textFunctions = [
        "uppercase:": "NSCoreDataUppercase", "lowercase:": "NSCoreDataLowercase",
        "canonical:": "NSCoreDataCanonical",
    ]

    private static let collectionFunctions = [
        "count:": "COUNT", "sum:": "TOTAL", "average:": "AVG", "min:": "MIN", "max:": "MAX",
    ]

    private func function(
        _ name: String, _ arguments: [NSExpression], _ expression: NSExpression
    ) throws(CoreDataError) -> Side {
        if let sign = Self.operators[name], arguments.count == 2 {
            let left = try fragment(arguments[0]), right = try fragment(arguments[1])
            return .computed("(" + left + " \(sign) " + right + ")", kind: nil)
        }
        if let function = Self.textFunctions[name], let argument = arguments.first {
            return .computed("\(function)( " + (try fragment(argument)) + ")", kind: .string)
        }
        if let function = Self.collectionFunctions[name], let argument = arguments.first {
            return try collectionFunction(function, argument, expression)
        }
        switch (name, arguments.first) {
        case ("now", _): return .computed(Fragment("NSCoreDataNow()"), kind: .date)
        case ("abs:", let argument?):
            return .computed("abs( " + (try fragment(argument)) + ")", kind: nil)
        case ("onesComplement:", let argument?):
            return .computed("(~" + (try fragment(argument)) + ")", kind: nil)
        // SQLite has no operator for it.
        case ("bitwiseXor:with:", let left?) where arguments.count == 2:
            let left = try fragment(left), right = try fragment(arguments[1])
            return .computed(
                "((" + left + " | " + right + ") - (" + left + " & " + right + "))", kind: nil)
        case ("length:", let argument?):
            return .computed("length( " + (try fragment(argument)) + ")", kind: .integer64)
        // A unary plus keeps SQLite from using an index.
        case ("noindex:", let argument?):
            return .computed("+" + (try fragment(argument)), kind: nil)
        case ("castObject:toType:", let argument?): return try side(argument, isRequired: false)
        default: throw refuse("Unsupported function expression \(expression)")
        }
    }

    private func collectionFunction(
        _ function: String, _ argument: NSExpression, _ expression: NSExpression
    ) throws(CoreDataError) -> Side {
        if function == "COUNT",
            case .subquery(let collection, let variable, let predicate) = argument.node
        {
            return .computed(try count(collection, variable, predicate), kind: .integer64)
        }
        guard let path = try path(of: argument),
            case .toMany(let step, let rest) = try resolve(
                path.keys, in: path.scope, isRequired: false)
        else { throw refuse("Unsupported function expression \(expression)") }
        return try aggregate(function, step, rest)
    }
}
