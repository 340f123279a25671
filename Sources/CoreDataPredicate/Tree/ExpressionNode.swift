import Foundation

/// The content of an expression, for all code that must distinguish its forms.
package enum ExpressionNode {
    /// A value; `NSNull` was replaced by `nil`.
    case constant(Any?)
    /// `SELF`.
    case evaluatedObject
    /// `ANYKEY`, which only Spotlight queries support.
    case anyKey
    /// `$name`.
    case variable(String)
    /// A key path of the evaluated object. Collection operators include their `@`.
    case keyPath([String])
    /// A path of another expression's value: `$x.name`, `SUBQUERY(…).@count`.
    case path(NSExpression, [String])
    /// One element of a list: `scores[0]`, `scores[FIRST]`.
    case element(NSExpression, CollectionIndex)
    /// A built-in function by its full name (see ``BuiltinFunction``); operators are functions too.
    case function(String, [NSExpression])
    /// `FUNCTION(target, 'name:', …)`.
    case selector(target: NSExpression, name: String, arguments: [NSExpression])
    /// `{a, b}`.
    case aggregate([NSExpression])
    case set(SetOperation, NSExpression, NSExpression)
    case subquery(collection: NSExpression, variable: String, predicate: NSPredicate)
    /// `TERNARY(predicate, a, b)`.
    case conditional(NSPredicate, NSExpression, NSExpression)
    /// `$name := expression`.
    case assignment(String, NSExpression)
    /// A function, which only the evaluation in memory can call.
    case block(NSExpression.Block, [NSExpression])

    package enum SetOperation: String, Sendable {
        case union = "UNION"
        case intersect = "INTERSECT"
        case minus = "MINUS"
    }

    /// The index of an element in a collection.
    package enum CollectionIndex {
        case first
        case last
        /// The number of elements, written `[SIZE]`.
        case size
        /// A position, counted from 0, or a key if the value is a dictionary.
        case at(NSExpression)

        var expression: NSExpression {
            switch self {
            case .first: NSExpression(forConstantValue: "FIRST")
            case .last: NSExpression(forConstantValue: "LAST")
            case .size: NSExpression(forConstantValue: "SIZE")
            case .at(let index): index
            }
        }
    }
}

extension ExpressionNode {
    package var type: NSExpression.ExpressionType {
        switch self {
        case .constant: .constantValue
        case .evaluatedObject: .evaluatedObject
        case .anyKey: .anyKey
        case .variable: .variable
        case .keyPath: .keyPath
        case .path, .element, .function, .selector, .assignment: .function
        case .aggregate: .aggregate
        case .set(.union, _, _): .unionSet
        case .set(.intersect, _, _): .intersectSet
        case .set(.minus, _, _): .minusSet
        case .subquery: .subquery
        case .conditional: .conditional
        case .block: .block
        }
    }

    package var functionName: String? {
        switch self {
        case .function(let name, _), .selector(_, let name, _): name
        case .path: "valueForKeyPath:"
        case .element: "objectFrom:withIndex:"
        case .assignment: "assignVariable:value:"
        default: nil
        }
    }

    /// Splits a key path at its dots. The path `self` is the evaluated object.
    package static func path(ofText text: String) -> ExpressionNode {
        let keys = text.split(separator: ".", omittingEmptySubsequences: true).map(String.init)
        return path(ofKeys: keys)
    }

    static func path(ofKeys keys: [String]) -> ExpressionNode {
        var keys = keys[...]
        while let first = keys.first, first == "self" || first == "SELF" { keys.removeFirst() }
        return keys.isEmpty ? .evaluatedObject : .keyPath(operatorBeforeValue(Array(keys)))
    }

    /// Converts `pages.words.@sum` to its canonical form `pages.@sum.words`, which adds all values,
    /// including duplicates.
    static func operatorBeforeValue(_ keys: [String]) -> [String] {
        guard keys.count > 2, let last = keys.last,
            ["@sum", "@avg", "@min", "@max"].contains(last)
        else { return keys }
        return keys.dropLast(2) + [last, keys[keys.count - 2]]
    }

    /// Represents a missing value in a list of arguments.
    static var nothing: Any { NSNull() }

    /// Unwraps optionals, and converts `NSNull` to nil.
    static func constantValue(_ value: Any?) -> Any? {
        guard let value else { return nil }
        if value is NSNull { return nil }
        if let optional = value as? any OptionalValue { return constantValue(optional.unwrapped) }
        return value
    }
}

/// Unwraps an optional inside an `Any`.
protocol OptionalValue {
    var unwrapped: Any? { get }
}

extension Optional: OptionalValue {
    var unwrapped: Any? { self }
}
