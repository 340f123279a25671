// Says when two predicates or expressions are written the same. `isEqual` and `hash` ask it.

import Foundation

extension PredicateNode {
    /// True when both print the same and compare with equal constants; blocks are never equal.
    func isEqual(to other: PredicateNode) -> Bool {
        switch (self, other) {
        case (.constant(let left), .constant(let right)):
            return left == right
        case (.compound(let leftType, let left), .compound(let rightType, let right)):
            return leftType == rightType && left == right
        case (.comparison(let left), .comparison(let right)):
            return left.operator == right.operator && left.modifier == right.modifier
                && left.options == right.options && left.selector == right.selector
                && left.left == right.left && left.right == right.right
        default:
            return false
        }
    }

    var structuralHash: Int {
        var hasher = Hasher()
        switch self {
        case .constant(let value): hasher.combine(value)
        case .compound(let type, let parts):
            hasher.combine(type)
            hasher.combine(parts)
        case .comparison(let comparison):
            hasher.combine(comparison.operator)
            hasher.combine(comparison.modifier)
            hasher.combine(comparison.left)
            hasher.combine(comparison.right)
        case .block: break
        }
        return hasher.finalize()
    }
}

extension ExpressionNode {
    /// True when both print the same and hold equal constants; blocks are never equal.
    func isEqual(to other: ExpressionNode) -> Bool {
        switch (self, other) {
        case (.constant(let left), .constant(let right)):
            return OperandComparison.areIdentical(Operand(left), Operand(right))
        case (.evaluatedObject, .evaluatedObject):
            return true
        case (.variable(let left), .variable(let right)):
            return left == right
        case (.keyPath(let left), .keyPath(let right)):
            return left == right
        case (.subquery(_, let left, let first), .subquery(_, let right, let second)):
            return left == right && first == second && children == other.children
        case (.conditional(let left, _, _), .conditional(let right, _, _)):
            return left == right && children == other.children
        case (.block, _), (_, .block):
            return false
        default:
            return label == other.label && children == other.children
        }
    }

    /// What distinguishes nodes beside their children.
    private var label: [String] {
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
        case .variable(let name): ["variable", name]
        case .keyPath(let keys): ["keys"] + keys
        case .subquery: ["subquery"]
        case .conditional: ["conditional"]
        case .block: ["block"]
        }
    }

    var structuralHash: Int {
        var hasher = Hasher()
        hasher.combine(label)
        hasher.combine(children)
        return hasher.finalize()
    }
}
