import CoreDataModel
import CoreDataPredicate

/// One side of a comparison, converted to SQL.
enum Side {
    case column(PathColumn)
    /// A constant. Its binding depends on the other side of the comparison.
    case constant(Operand)
    /// A computed value. The kind is known if the value is a number, a string or a date.
    case computed(Fragment, kind: ValueKind?)
    case list([NSExpression])
    case toMany(ToManyStep, rest: ArraySlice<String>)
}

extension PredicateTranslator {
    package func side(_ expression: NSExpression, isRequired: Bool) throws(QueryRefusal) -> Side {
        try below { () throws(QueryRefusal) in try sideOfNode(expression, isRequired) }
    }

    private func sideOfNode(
        _ expression: NSExpression, _ isRequired: Bool
    ) throws(QueryRefusal) -> Side {
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
            return .computed(
                try count(collection, variable, predicate, isOfPath: true), kind: .integer64)
        case .conditional(let predicate, let yes, let no):
            if dialect.isTyped { throw beyondSQL("Unsupported expression \(expression)") }
            let condition = try translate(predicate, isRequired: false)
            let first = try fragment(yes), second = try fragment(no)
            return .computed(
                "(CASE WHEN " + condition + " THEN " + first + " ELSE " + second + " END)",
                kind: nil
            )
        case .block: throw refuse("Unsupported expression: blocks work in memory only")
        case .element, .set, .selector, .subquery:
            throw beyondSQL("Unsupported expression \(expression)")
        default: break
        }
        if case .path = expression.node { throw beyondSQL("Unsupported expression \(expression)") }
        throw refuse("Unsupported expression \(expression)")
    }

    private func side(
        _ keys: ArraySlice<String>, in scope: QueryScope, isRequired: Bool
    ) throws(QueryRefusal) -> Side {
        if let aggregate = try collectionOperator(keys, in: scope) { return aggregate }
        switch try resolve(keys, in: scope, isRequired: isRequired) {
        case .column(let column): return .column(column)
        case .toMany(let step, let rest): return .toMany(step, rest: rest)
        }
    }

    func fragment(_ expression: NSExpression) throws(QueryRefusal) -> Fragment {
        switch try side(expression, isRequired: false) {
        case .column(let column): return Fragment(column.text)
        case .constant(let operand): return .parameter(try binding(operand, for: nil))
        case .computed(let fragment, _): return fragment
        case .list: throw beyondSQL("Unsupported expression \(expression)")
        case .toMany: throw refuse("to-many key not allowed here")
        }
    }
}

// MARK: Functions

extension PredicateTranslator {
    private static let operators: [String: SQLOperation] = [
        "add:to:": .add, "from:subtract:": .subtract, "multiply:by:": .multiply,
        "divide:by:": .divide, "modulus:by:": .remainder, "bitwiseAnd:with:": .and,
        "bitwiseOr:with:": .or, "bitwiseXor:with:": .exclusiveOr, "leftshift:by:": .shiftLeft,
        "rightshift:by:": .shiftRight,
    ]

    private static let textFunctions: [String: SQLFunction] = [
        "uppercase:": .uppercase, "lowercase:": .lowercase, "canonical:": .canonical,
    ]

    private func call(
        _ function: SQLFunction, _ argument: Fragment, kind: ValueKind?
    ) throws(QueryRefusal) -> Side {
        guard let call = dialect.call(function, argument) else {
            throw beyondSQL("Unsupported function \(function)")
        }
        return .computed(call, kind: kind)
    }

    private func calculate(
        _ operation: SQLOperation, _ left: Fragment, _ right: Fragment, kind: ValueKind?
    ) throws(QueryRefusal) -> Side {
        let isWhole = kind == .integer64
        guard let value = dialect.calculate(operation, left, right, isWhole: isWhole) else {
            throw beyondSQL("Unsupported operation \(operation)")
        }
        return .computed(value, kind: kind)
    }

    private func function(
        _ name: String, _ arguments: [NSExpression], _ expression: NSExpression
    ) throws(QueryRefusal) -> Side {
        if let operation = Self.operators[name], arguments.count == 2 {
            return try arithmetic(operation, arguments)
        }
        if let function = Self.textFunctions[name], let argument = arguments.first {
            return try call(function, try text(argument), kind: .string)
        }
        if let operation = Self.collectionFunctions[name], let argument = arguments.first {
            return try collectionFunction(operation, argument, expression)
        }
        switch (name, arguments.first) {
        case ("now", _):
            guard let now = dialect.now else { throw beyondSQL("Unsupported function now()") }
            return .computed(Fragment(now), kind: .date)
        case ("abs:", let argument?):
            let (number, kind) = try number(argument)
            return try call(.magnitude, number, kind: kind)
        case ("onesComplement:", let argument?):
            return try call(.complement, try integer(argument), kind: .integer64)
        case ("length:", let argument?):
            return try call(.length, try text(argument), kind: .integer64)
        case ("noindex:", let argument?):
            switch try side(argument, isRequired: false) {
            case .column(let column) where column.destination == nil:
                return try call(.unindexed, Fragment(column.text), kind: column.kind)
            default: return try call(.unindexed, try fragment(argument), kind: nil)
            }
        case ("castObject:toType:", let argument?):
            let side = try side(argument, isRequired: false)
            let type = arguments.last?.constantOperand
            if leavesResidue, case .string("NSString") = type, kind(of: side) != .string {
                throw beyondSQL("Unsupported function expression \(expression)")
            }
            return side
        // The database chooses the index, so the name is ignored. Only BETWEEN reads an R-tree by
        // its name.
        case ("indexed:by:", let argument?): return try side(argument, isRequired: false)
        case (BuiltinFunction.fetchName, _):
            throw refuse("Unsupported function expression \(expression)")
        default: throw beyondSQL("Unsupported function expression \(expression)")
        }
    }

    /// Translates an operator of two numbers if SQL computes the same result as the evaluation in
    /// memory. For example, SQL cannot calculate with decimal numbers.
    private func arithmetic(
        _ operation: SQLOperation, _ arguments: [NSExpression]
    ) throws(QueryRefusal) -> Side {
        switch operation {
        case .add, .subtract, .multiply:
            let (left, leftKind) = try number(arguments[0])
            let (right, rightKind) = try number(arguments[1])
            let isWhole = leftKind?.isInteger == true && rightKind?.isInteger == true
            let kind = isWhole ? .integer64 : typedKind(leftKind, rightKind)
            return try calculate(operation, left, right, kind: kind)
        case .divide:
            let (left, leftKind) = try number(arguments[0])
            let (right, rightKind) = try number(arguments[1])
            let isWhole = leftKind?.isInteger == true && rightKind?.isInteger == true
            let isFraction = [leftKind, rightKind].contains { $0 == .double || $0 == .float }
            if leavesResidue, !isWhole, !isFraction {
                throw beyondSQL("Unsupported division of numbers that may be whole")
            }
            return try calculate(operation, left, right, kind: isWhole ? .integer64 : .double)
        case .remainder, .and, .or, .exclusiveOr, .shiftLeft, .shiftRight:
            let left = try integer(arguments[0]), right = try integer(arguments[1])
            return try calculate(operation, left, right, kind: .integer64)
        }
    }

    /// Translates a number or a date. The kind is nil if it is unknown.
    private func number(
        _ expression: NSExpression
    ) throws(QueryRefusal) -> (Fragment, ValueKind?) {
        let side = try side(expression, isRequired: false)
        let kind = kind(of: side)
        try checkNumber(kind, expression)
        if leavesResidue {
            switch kind {
            case .decimal, .string, .uri, .uuid, .binary, .toOne:
                throw beyondSQL("Unsupported arithmetic of \(expression)")
            default: break
            }
        }
        return (try text(side, against: .computed(Fragment(""), kind: nil)), kind)
    }

    private func integer(_ expression: NSExpression) throws(QueryRefusal) -> Fragment {
        let side = try side(expression, isRequired: false)
        try checkNumber(kind(of: side), expression)
        if leavesResidue, kind(of: side)?.isInteger != true {
            throw beyondSQL("Unsupported arithmetic of \(expression), which may be a fraction")
        }
        return try text(side, against: .computed(Fragment(""), kind: nil))
    }

    private func text(_ expression: NSExpression) throws(QueryRefusal) -> Fragment {
        let side = try side(expression, isRequired: false)
        if leavesResidue {
            switch kind(of: side) {
            case .string, .binary, nil: break
            default: throw beyondSQL("Unsupported text function of \(expression)")
            }
        }
        return try text(side, against: .computed(Fragment(""), kind: nil))
    }

    private func kind(of side: Side) -> ValueKind? {
        switch side {
        case .column(let column): column.kind
        case .computed(_, let kind): kind
        case .constant(.integer): .integer64
        case .constant(.double): .double
        case .constant(.decimal): .decimal
        case .constant(.string): .string
        case .constant(.date): .date
        case .constant(.data): .binary
        case .constant, .list, .toMany: nil
        }
    }
}
