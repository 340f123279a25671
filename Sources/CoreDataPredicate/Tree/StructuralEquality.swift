import Foundation

/// Compares trees for `isEqual`.
///
/// Two trees are equal if they have the same printed form and equal constants. A block equals only
/// itself.
struct TreeComparison {
    private var predicates: [(NSPredicate, NSPredicate)] = []
    private var expressions: [(NSExpression, NSExpression)] = []

    static func areEqual(_ left: NSPredicate, _ right: NSPredicate) -> Bool {
        var comparison = TreeComparison()
        return comparison.expect(left, right) && comparison.run()
    }

    static func areEqual(_ left: NSExpression, _ right: NSExpression) -> Bool {
        var comparison = TreeComparison()
        return comparison.expect(left, right) && comparison.run()
    }

    private mutating func run() -> Bool {
        while true {
            if let (left, right) = expressions.popLast() {
                if !compare(left.node, right.node) { return false }
            } else if let (left, right) = predicates.popLast() {
                if !compare(left.node, right.node) { return false }
            } else {
                return true
            }
        }
    }

    private mutating func expect(_ left: NSPredicate, _ right: NSPredicate) -> Bool {
        if left === right { return true }
        guard left.depth == right.depth else { return false }
        predicates.append((left, right))
        return true
    }

    private mutating func expect(_ left: NSExpression, _ right: NSExpression) -> Bool {
        if left === right { return true }
        guard left.depth == right.depth else { return false }
        expressions.append((left, right))
        return true
    }

    private mutating func compare(_ left: PredicateNode, _ right: PredicateNode) -> Bool {
        switch (left, right) {
        case (.constant(let left), .constant(let right)):
            return left == right
        case (.compound(let leftType, let left), .compound(let rightType, let right)):
            guard leftType == rightType, left.count == right.count else { return false }
            for (left, right) in zip(left, right) where !expect(left, right) { return false }
            return true
        case (.comparison(let left), .comparison(let right)):
            return left.operator == right.operator && left.modifier == right.modifier
                && left.options == right.options && left.selector == right.selector
                && expect(left.left, right.left) && expect(left.right, right.right)
        default:
            return false
        }
    }

    private mutating func compare(_ left: ExpressionNode, _ right: ExpressionNode) -> Bool {
        if case .constant(let left) = left, case .constant(let right) = right {
            return OperandComparison.areIdentical(Operand(left), Operand(right))
        }
        if case .block = left { return false }
        guard left.label == right.label else { return false }
        switch (left.condition, right.condition) {
        case (let left?, let right?): if !expect(left, right) { return false }
        case (nil, nil): break
        default: return false
        }
        let (children, others) = (left.children, right.children)
        guard children.count == others.count else { return false }
        for (left, right) in zip(children, others) where !expect(left, right) { return false }
        return true
    }
}

/// Hashes the upper levels of trees, which distinguish most of them.
enum TreeHash {
    private static let levels = 12

    static func value(of predicate: NSPredicate) -> Int {
        var hasher = Hasher()
        add(predicate.node, to: &hasher, levels: levels)
        return hasher.finalize()
    }

    static func value(of expression: NSExpression) -> Int {
        var hasher = Hasher()
        add(expression.node, to: &hasher, levels: levels)
        return hasher.finalize()
    }

    private static func add(_ node: PredicateNode, to hasher: inout Hasher, levels: Int) {
        guard levels > 0 else { return }
        switch node {
        case .constant(let value): hasher.combine(value)
        case .compound(let type, let parts):
            hasher.combine(type)
            hasher.combine(parts.count)
            for part in parts { add(part.node, to: &hasher, levels: levels - 1) }
        case .comparison(let comparison):
            hasher.combine(comparison.operator)
            hasher.combine(comparison.modifier)
            add(comparison.left.node, to: &hasher, levels: levels - 1)
            add(comparison.right.node, to: &hasher, levels: levels - 1)
        case .block: break
        }
    }

    private static func add(_ node: ExpressionNode, to hasher: inout Hasher, levels: Int) {
        guard levels > 0 else { return }
        hasher.combine(node.label)
        for child in node.children { add(child.node, to: &hasher, levels: levels - 1) }
    }
}

extension ExpressionNode {
    /// The properties of a node that distinguish it from other nodes, without its children.
    fileprivate var label: [String] {
        switch self {
        case .path(_, let keys): ["path"] + keys
        case .element(_, .first): ["first"]
        case .element(_, .last): ["last"]
        case .element(_, .size): ["size"]
        case .element(_, .at): ["at"]
        case .function(let name, _): ["function", name]
        case .selector(_, let name, _): ["selector", name]
        case .aggregate: ["aggregate"]
        case .set(let operation, _, _): ["set", operation.rawValue]
        case .assignment(let name, _): ["assignment", name]
        case .constant: ["constant"]
        case .evaluatedObject: ["self"]
        case .anyKey: ["any key"]
        case .variable(let name): ["variable", name]
        case .keyPath(let keys): ["keys"] + keys
        case .subquery(_, let name, _): ["subquery", name]
        case .conditional: ["conditional"]
        case .block: ["block"]
        }
    }
}
