import CoreDataTrace
import Foundation

/// A value that is computed from an object: a constant, a key path, a function and so on.
///
/// An expression is immutable.
open class NSExpression: NSObject, NSCopying {
    /// An expression as a Swift function. Its parameters are the evaluated object, the argument
    /// expressions and the context.
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
        /// `ANYKEY`, which only Spotlight queries support.
        case anyKey = 15
        case block = 19
        case conditional = 20
        /// `FETCH(request, context, countOnly)`; see `NSFetchRequestExpression`.
        case fetchRequest = 50
    }

    /// The content of the expression, for code that translates it.
    // Unchecked because it is set only by initialisers, and by `deinit` when no other reference to
    // the expression is left.
    @exclusivity(unchecked) package private(set) final var node: ExpressionNode
    /// The number of levels of the tree, including this one.
    package private(set) final var depth: Int32 = 1
    /// The value of a constant, ready for comparison.
    // Unchecked because only initialisers set it.
    @exclusivity(unchecked) package private(set) final var constantOperand: Operand?

    // Every designated initialiser is public. Otherwise subclasses would inherit none of them.
    package convenience init(node: ExpressionNode) {
        self.init(expressionType: .evaluatedObject)
        adopt(node)
    }

    /// Sets the content of a new expression.
    package final func adopt(_ content: ExpressionNode) {
        node = content
        depth = content.depth
        if case .constant(let value) = content { constantOperand = Operand(value) }
    }

    /// Creates an expression without parts.
    ///
    /// The type is `evaluatedObject` or `anyKey`. An expression of another type needs its parts, so
    /// it is a constant nil instead, and the log reports this.
    public init(expressionType type: ExpressionType) {
        switch type {
        case .evaluatedObject: node = .evaluatedObject
        case .anyKey: node = .anyKey
        default:
            node = .constant(nil)
            constantOperand = .null
            EngineLog.errorOnce(
                "an expression of type \(type) needs its parts; use the initializer that takes"
                    + " them. The expression is nil.")
        }
        super.init()
    }

    deinit {
        guard depth > TreeDepth.plain else { return }
        var parts = DeepParts(of: node)
        node = .evaluatedObject
        parts.release()
    }

    open override var description: String { TreePrinter.text(of: self) }

    /// Returns the expression itself, because it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Does nothing; exists for code that calls it on decoded expressions.
    open func allowEvaluation() {}

    /// Computes the expression for an object.
    ///
    /// - Parameters:
    ///   - object: The start of paths, and the value of `SELF`.
    ///   - context: The values of variables by name; also passed to blocks.
    /// - Precondition: The object has every key of the expression, and every function accepts its
    ///   arguments. Otherwise Foundation raises an exception.
    open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        valueOrTrap(object, context)
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSExpression else { return false }
        return TreeComparison.areEqual(self, other)
    }

    open override var hash: Int { TreeHash.value(of: self) }

    /// Returns the expression for the evaluated object itself (`SELF`).
    open class func expressionForEvaluatedObject() -> NSExpression {
        NSExpression(node: .evaluatedObject)
    }

    /// Returns the expression for any key of an object (`ANYKEY`), which only Spotlight queries
    /// support.
    ///
    /// Stores reject it. In memory, a condition that contains it is false and logs an error.
    open class func expressionForAnyKey() -> NSExpression { NSExpression(node: .anyKey) }

    /// The kind of the expression.
    open var expressionType: ExpressionType { node.type }
}

// @unchecked Sendable because an expression is immutable after `init`: only `deinit` sets its node,
// and a caller that passes objects or blocks as constants is responsible for sharing them, as in
// Core Data.
extension NSExpression: @unchecked Sendable {}
