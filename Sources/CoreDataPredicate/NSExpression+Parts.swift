import CoreDataTrace
import Foundation

extension NSExpression {
    /// The value of a constant expression.
    ///
    /// - Precondition: The type is `constantValue`.
    public var constantValue: Any? {
        guard case .constant(let value) = node else { preconditionPart("constantValue") }
        return value
    }

    /// The keys of a key path with dots between them.
    ///
    /// - Precondition: The type is `keyPath`, or the expression reads a path of another expression.
    public var keyPath: String {
        switch node {
        case .keyPath(let keys), .path(_, let keys): return keys.joined(separator: ".")
        default: preconditionPart("keyPath")
        }
    }

    /// The full name of the function, such as `add:to:`.
    ///
    /// - Precondition: The type is `function`.
    public var function: String {
        guard let name = node.functionName else { preconditionPart("function") }
        return name
    }

    /// The name of a variable, or of the iterator variable of a subquery.
    ///
    /// - Precondition: The type is `variable` or `subquery`.
    public var variable: String {
        switch node {
        case .variable(let name), .subquery(_, let name, _), .assignment(let name, _): return name
        default: preconditionPart("variable")
        }
    }

    /// The expression on whose value the function is called.
    ///
    /// - Precondition: The type is `function`.
    public var operand: NSExpression {
        switch node {
        case .path(let base, _), .element(let base, _), .selector(let base, _, _): return base
        case .function: return NSExpression(forConstantValue: nil)
        default: preconditionPart("operand")
        }
    }

    /// The arguments of a function or block.
    ///
    /// - Precondition: The type is `function` or `block`.
    public var arguments: [NSExpression]? {
        switch node {
        case .function(_, let arguments), .selector(_, _, let arguments): return arguments
        case .block(_, let arguments): return arguments
        case .path(_, let keys): return [NSExpression(node: .keyPath(keys))]
        case .element(let base, let index): return [base, index.expression]
        case .assignment(_, let value): return [value]
        default: preconditionPart("arguments")
        }
    }

    /// The elements of an aggregate as `[NSExpression]`, or the collection of a subquery.
    ///
    /// - Precondition: The type is `aggregate` or `subquery`.
    public var collection: Any {
        switch node {
        case .aggregate(let elements): return elements
        case .subquery(let collection, _, _): return collection
        default: preconditionPart("collection")
        }
    }

    /// The condition of a subquery or of a conditional.
    ///
    /// - Precondition: The type is `subquery` or `conditional`.
    public var predicate: NSPredicate {
        switch node {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): return predicate
        default: preconditionPart("predicate")
        }
    }

    /// The left side of a set expression.
    public var left: NSExpression {
        guard case .set(_, let left, _) = node else { preconditionPart("left") }
        return left
    }

    /// The right side of a set expression.
    public var right: NSExpression {
        guard case .set(_, _, let right) = node else { preconditionPart("right") }
        return right
    }

    /// The value of a conditional expression if its predicate is true.
    public var `true`: NSExpression {
        guard case .conditional(_, let value, _) = node else { preconditionPart("true") }
        return value
    }

    /// The value of a conditional expression if its predicate is false.
    public var `false`: NSExpression {
        guard case .conditional(_, _, let value) = node else { preconditionPart("false") }
        return value
    }

    /// The function of a block expression.
    public var expressionBlock: Block {
        guard case .block(let block, _) = node else { preconditionPart("expressionBlock") }
        return block
    }

    private func preconditionPart(_ name: String) -> Never {
        trap("an expression of type \(expressionType) has no \(name): \(self)")
    }
}
