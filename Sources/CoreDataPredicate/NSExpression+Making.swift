import CoreDataTrace
import Foundation

extension NSExpression {
    /// Creates a constant; `NSNull` counts as nil.
    public convenience init(forConstantValue value: Any?) {
        self.init(node: .constant(ExpressionNode.constantValue(value)))
    }

    /// Creates a variable, written `$NAME` in a format.
    public convenience init(forVariable name: String) { self.init(node: .variable(name)) }

    /// Creates a key path of the evaluated object, with dots between its keys.
    public convenience init(forKeyPath path: String) {
        self.init(node: ExpressionNode.path(ofText: path))
    }

    /// Creates a call of a built-in function by its full name, such as `add:to:`.
    ///
    /// - Precondition: The function exists and takes this many arguments; arguments that are not
    ///   expressions become constants.
    public convenience init(forFunction name: String, arguments parameters: [Any]) {
        let arguments = parameters.map(NSExpression.orConstant)
        do {
            self.init(node: try BuiltinFunction.call(name, arguments))
        } catch {
            trap(error.description)
        }
    }

    /// Like ``init(forFunction:arguments:)``, but nil for an unknown function.
    package convenience init?(call name: String, _ arguments: [NSExpression]) {
        guard let node = try? BuiltinFunction.call(name, arguments) else { return nil }
        self.init(node: node)
    }

    /// Creates a call of a method of `target`'s value, written `FUNCTION(target, 'name:', …)`.
    public convenience init(
        forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?
    ) {
        let arguments = (parameters ?? []).map(NSExpression.orConstant)
        self.init(node: .selector(target: target, name: name, arguments: arguments))
    }

    /// Creates a list of expressions, written `{a, b}`.
    public convenience init(forAggregate subexpressions: [NSExpression]) {
        self.init(node: .aggregate(subexpressions))
    }

    /// Creates an expression for the elements that are in `left` or in `right`.
    public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
        self.init(node: .set(.union, left, right))
    }

    /// Creates an expression for the elements that are in `left` and in `right`.
    public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self.init(node: .set(.intersect, left, right))
    }

    /// Creates an expression for the elements that are in `left` and not in `right`.
    public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
        self.init(node: .set(.minus, left, right))
    }

    /// Creates an expression for the elements of a collection for which `predicate` is true. The
    /// variable `variable` has the element as its value.
    public convenience init(
        forSubquery expression: NSExpression, usingIteratorVariable variable: String,
        predicate: NSPredicate
    ) {
        self.init(
            node: .subquery(collection: expression, variable: variable, predicate: predicate))
    }

    /// Creates a conditional expression, written `TERNARY(predicate, a, b)`.
    public convenience init(
        forConditional predicate: NSPredicate, trueExpression: NSExpression,
        falseExpression: NSExpression
    ) {
        self.init(node: .conditional(predicate, trueExpression, falseExpression))
    }

    /// Creates an expression that calls a function. It works only in memory; stores reject it.
    public convenience init(block: @escaping Block, arguments: [NSExpression]?) {
        self.init(node: .block(block, arguments ?? []))
    }

    private static func orConstant(_ value: Any) -> NSExpression {
        value as? NSExpression ?? NSExpression(forConstantValue: value)
    }
}
