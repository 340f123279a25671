import Foundation

/// A value that is computed from an object: a constant, a key path, a function and so on.
///
/// An expression never changes after it was made.
open class NSExpression: NSObject, NSCopying {
    /// An expression as a Swift function of the object, the argument expressions and the context.
    public typealias Block = (Any?, [NSExpression], NSMutableDictionary?) -> Any

    /// The kinds of expressions.
    public enum ExpressionType: UInt, Sendable {
        case constantValue = 0
        case evaluatedObject = 1
        case variable = 2
        case keyPath = 3
        case function = 4
        case unionSet = 5
        case intersectSet = 6
        case minusSet = 7
        case subquery = 13
        case aggregate = 14
        case block = 19
        case conditional = 20
    }

    /// What the expression is, for translators; read it with a `switch`.
    package let node: ExpressionNode
    /// The value of a constant, ready for comparison.
    package let constantOperand: Operand?

    package init(node: ExpressionNode) {
        self.node = node
        if case .constant(let value) = node {
            constantOperand = Operand(value)
        } else {
            constantOperand = nil
        }
        super.init()
    }

    open override var description: String { ExpressionPrinter.text(of: self) }

    /// Returns the expression itself, because it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Does nothing; it exists because decoded expressions ask for it.
    public func allowEvaluation() {}

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSExpression else { return false }
        return self === other || node.isEqual(to: other.node)
    }

    open override var hash: Int { node.structuralHash }

    /// Returns the object that is evaluated itself (`SELF`).
    public class func expressionForEvaluatedObject() -> NSExpression {
        NSExpression(node: .evaluatedObject)
    }

    /// The kind of the expression.
    open var expressionType: ExpressionType { node.type }
}

// @unchecked Sendable because an expression is immutable after `init`: its node is a `let`, and a
// caller who passes objects or blocks as constants shares them on his own terms, as in Core Data.
extension NSExpression: @unchecked Sendable {}
