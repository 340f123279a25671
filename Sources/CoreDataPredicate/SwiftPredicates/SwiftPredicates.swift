import Foundation

/// Converts the predicates and expressions of Swift's macros.
extension FormatInitializable where Self: NSPredicate {
    /// Creates a predicate from a Swift predicate of `#Predicate`; nil if a part of it has no
    /// counterpart.
    ///
    /// The names of key paths are found as described in ``KeyPathNaming``. Type checks, casts to
    /// other types, calls of the program's functions, and comparisons of strings by locale have no
    /// counterpart.
    public init?<Input>(_ predicate: Predicate<Input>) where Input: AnyObject {
        var translation = SwiftTranslation()
        translation.bind(predicate.variable, to: NSExpression(expressionType: .evaluatedObject))
        guard let made = try? translation.condition(predicate.expression) as? Self else {
            return nil
        }
        self = made
    }
}

extension NSExpression {
    /// Creates an expression from a Swift expression of `#Expression`; nil if a part of it has no
    /// counterpart.
    public convenience init?<Input, Output>(_ expression: Expression<Input, Output>)
    where Input: AnyObject {
        var translation = SwiftTranslation()
        translation.bind(expression.variable, to: NSExpression(expressionType: .evaluatedObject))
        guard let made = try? translation.value(expression.expression) else { return nil }
        self.init(node: made.node)
    }
}

/// The state of the translation of a Swift predicate.
struct SwiftTranslation {
    /// The error for a part of the predicate that has no counterpart.
    struct Untranslatable: Error {}

    /// The result of translating a part of the predicate.
    enum Part {
        case value(NSExpression)
        case condition(NSPredicate)
    }

    private var variables: [PredicateExpressions.VariableID: NSExpression] = [:]
    private var count = 0

    mutating func bind<T>(
        _ variable: PredicateExpressions.Variable<T>, to expression: NSExpression
    ) {
        variables[variable.key] = expression
    }

    mutating func freshVariable() -> String {
        count += 1
        return "element\(count)"
    }

    func expression<T>(
        of variable: PredicateExpressions.Variable<T>
    ) throws -> NSExpression {
        guard let found = variables[variable.key] else { throw Untranslatable() }
        return found
    }

    private mutating func part(_ expression: Any) throws -> Part {
        guard let translatable = expression as? any SwiftTranslatable else {
            throw Untranslatable()
        }
        return try translatable.part(&self)
    }

    /// Translates a part to a condition; a value is compared with true.
    mutating func condition(_ expression: Any) throws -> NSPredicate {
        switch try part(expression) {
        case .condition(let condition): return condition
        case .value(let value):
            if case .constant(let constant) = value.node, let isTrue = constant as? Bool {
                return NSPredicate(value: isTrue)
            }
            return Self.compare(value, .equalTo, NSExpression(forConstantValue: true))
        }
    }

    /// Translates a part to a value; a condition becomes a choice of true and false.
    mutating func value(_ expression: Any) throws -> NSExpression {
        switch try part(expression) {
        case .value(let value): return value
        case .condition(let condition):
            return NSExpression(
                forConditional: condition, trueExpression: NSExpression(forConstantValue: true),
                falseExpression: NSExpression(forConstantValue: false))
        }
    }

    mutating func subquery<T>(
        _ sequence: Any, _ variable: PredicateExpressions.Variable<T>, _ test: Any,
        negated: Bool = false
    ) throws -> NSExpression {
        let collection = try value(sequence)
        let name = freshVariable()
        bind(variable, to: NSExpression(forVariable: name))
        let predicate = try condition(test)
        return NSExpression(
            forSubquery: collection, usingIteratorVariable: name,
            predicate: negated
                ? NSCompoundPredicate(notPredicateWithSubpredicate: predicate) : predicate)
    }

    static func compare(
        _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ right: NSExpression
    ) -> NSPredicate {
        NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: .direct, type: type)
    }

    static func count(of expression: NSExpression) -> NSExpression {
        path(["@count"], of: expression)
    }

    static func path(_ keys: [String], of expression: NSExpression) -> NSExpression {
        switch expression.node {
        case .evaluatedObject: NSExpression(node: .keyPath(keys))
        case .keyPath(let first): NSExpression(node: .keyPath(first + keys))
        case .path(let root, let first): NSExpression(node: .path(root, first + keys))
        default: NSExpression(node: .path(expression, keys))
        }
    }
}

protocol SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part
}
