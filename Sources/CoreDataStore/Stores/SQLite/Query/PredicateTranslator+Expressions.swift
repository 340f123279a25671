import CoreDataModel
import CoreDataPredicate

/// One side of a comparison, converted to SQL.
enum Side {
    case column(PathColumn)
    /// A value; its binding depends on the other side of the comparison.
    case constant(Operand)
    /// Any computed value; the kind is known for a number, a text or a date.
    case computed(Fragment, kind: ValueKind?)
    case list([NSExpression])
    case toMany(ToManyStep, rest: ArraySlice<String>)
}

/// Converting expressions to sides and fragments.
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
            return .computed(
                try count(collection, variable, predicate, isOfPath: true), kind: .integer64)
        case .conditional(let predicate, let yes, let no):
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
        case .list: throw beyondSQL("Unsupported expression \(expression)")
        case .toMany: throw refuse("to-many key not allowed here")
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

    private func function(
        _ name: String, _ arguments: [NSExpression], _ expression: NSExpression
    ) throws(CoreDataError) -> Side {
        if let sign = Self.operators[name], arguments.count == 2 {
            return try arithmetic(name, sign, arguments)
        }
        if let function = Self.textFunctions[name], let argument = arguments.first {
            return .computed("\(function)( " + (try text(argument)) + ")", kind: .string)
        }
        if let operation = Self.collectionFunctions[name], let argument = arguments.first {
            return try collectionFunction(operation, argument, expression)
        }
        switch (name, arguments.first) {
        case ("now", _): return .computed(Fragment("NSCoreDataNow()"), kind: .date)
        case ("abs:", let argument?):
            let (number, kind) = try number(argument)
            return .computed("\(StoreFunctions.magnitude)( " + number + ")", kind: kind)
        case ("onesComplement:", let argument?):
            return .computed("(~" + (try integer(argument)) + ")", kind: .integer64)
        // SQLite has no operator for exclusive or.
        case ("bitwiseXor:with:", let left?) where arguments.count == 2:
            let left = try integer(left), right = try integer(arguments[1])
            return .computed(
                "((" + left + " | " + right + ") - (" + left + " & " + right + "))",
                kind: .integer64)
        case ("length:", let argument?):
            return .computed(
                "\(StoreFunctions.length)( " + (try text(argument)) + ")", kind: .integer64)
        // A unary plus keeps SQLite from using an index.
        case ("noindex:", let argument?):
            switch try side(argument, isRequired: false) {
            case .column(let column) where column.destination == nil:
                return .computed("+" + Fragment(column.text), kind: column.kind)
            default: return .computed("+" + (try fragment(argument)), kind: nil)
            }
        case ("castObject:toType:", let argument?):
            let side = try side(argument, isRequired: false)
            let type = arguments.last?.constantOperand
            if leavesResidue, case .string("NSString") = type, kind(of: side) != .string {
                throw beyondSQL("Unsupported function expression \(expression)")
            }
            return side
        // SQLite itself chooses an index, so the name is ignored; only BETWEEN uses an R-tree by
        // its name.
        case ("indexed:by:", let argument?): return try side(argument, isRequired: false)
        case (BuiltinFunction.fetchName, _):
            throw refuse("Unsupported function expression \(expression)")
        default: throw beyondSQL("Unsupported function expression \(expression)")
        }
    }

    /// An operator of two numbers, if SQL and the evaluation in memory have the same result. The
    /// evaluation in memory has decimal numbers, and rejects fractions as operands of bit operators
    /// and remainders.
    private func arithmetic(
        _ name: String, _ sign: String, _ arguments: [NSExpression]
    ) throws(CoreDataError) -> Side {
        switch name {
        case "add:to:", "from:subtract:", "multiply:by:":
            let (left, leftKind) = try number(arguments[0])
            let (right, rightKind) = try number(arguments[1])
            let isWhole = leftKind?.isInteger == true && rightKind?.isInteger == true
            return .computed(
                "(" + left + " \(sign) " + right + ")", kind: isWhole ? .integer64 : nil)
        case "divide:by:":
            let (left, leftKind) = try number(arguments[0])
            let (right, rightKind) = try number(arguments[1])
            let isWhole = leftKind?.isInteger == true && rightKind?.isInteger == true
            let isFraction = [leftKind, rightKind].contains { $0 == .double || $0 == .float }
            if leavesResidue, !isWhole, !isFraction {
                throw beyondSQL("Unsupported division of numbers that may be whole")
            }
            return .computed(
                "(" + left + " / " + right + ")", kind: isWhole ? .integer64 : .double)
        default:
            let left = try integer(arguments[0]), right = try integer(arguments[1])
            return .computed("(" + left + " \(sign) " + right + ")", kind: .integer64)
        }
    }

    /// A number or a date with its kind; nil if the kind is unknown.
    private func number(
        _ expression: NSExpression
    ) throws(CoreDataError) -> (Fragment, ValueKind?) {
        let side = try side(expression, isRequired: false)
        let kind = kind(of: side)
        if leavesResidue {
            switch kind {
            case .decimal, .string, .uri, .uuid, .binary, .toOne:
                throw beyondSQL("Unsupported arithmetic of \(expression)")
            default: break
            }
        }
        return (try text(side, against: .computed(Fragment(""), kind: nil)), kind)
    }

    private func integer(_ expression: NSExpression) throws(CoreDataError) -> Fragment {
        let side = try side(expression, isRequired: false)
        if leavesResidue, kind(of: side)?.isInteger != true {
            throw beyondSQL("Unsupported arithmetic of \(expression), which may be a fraction")
        }
        return try text(side, against: .computed(Fragment(""), kind: nil))
    }

    private func text(_ expression: NSExpression) throws(CoreDataError) -> Fragment {
        let side = try side(expression, isRequired: false)
        if leavesResidue {
            switch kind(of: side) {
            case .string, .binary, nil: break
            default: throw beyondSQL("Unsupported text function of \(expression)")
            }
        }
        return try text(side, against: .computed(Fragment(""), kind: nil))
    }

    /// The kind of a side; nil if unknown.
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
