import Foundation

/// The depth of trees.
///
/// Programs build trees of any depth, but the stack is limited. So shallow trees are traversed by
/// recursion, and deep ones with an explicit list.
enum TreeDepth {
    /// The maximum depth of trees that recursive functions traverse.
    static let plain: Int32 = 200
}

extension PredicateNode {
    var depth: Int32 {
        switch self {
        case .constant, .block: 1
        case .comparison(let comparison): 1 + max(comparison.left.depth, comparison.right.depth)
        case .compound(_, let parts): 1 + (parts.lazy.map(\.depth).max() ?? 0)
        }
    }
}

extension ExpressionNode {
    var depth: Int32 {
        switch self {
        case .constant, .evaluatedObject, .anyKey, .variable, .keyPath: 1
        case .path(let base, _): 1 + base.depth
        case .element(let base, .at(let index)): 1 + max(base.depth, index.depth)
        case .element(let base, _): 1 + base.depth
        case .function(_, let arguments), .block(_, let arguments), .aggregate(let arguments):
            1 + Self.deepest(arguments)
        case .selector(let target, _, let arguments):
            1 + max(target.depth, Self.deepest(arguments))
        case .set(_, let left, let right): 1 + max(left.depth, right.depth)
        case .subquery(let collection, _, let predicate):
            1 + max(collection.depth, predicate.depth)
        case .conditional(let predicate, let yes, let no):
            1 + max(predicate.depth, max(yes.depth, no.depth))
        case .assignment(_, let value): 1 + value.depth
        }
    }

    private static func deepest(_ expressions: [NSExpression]) -> Int32 {
        expressions.lazy.map(\.depth).max() ?? 0
    }

    var condition: NSPredicate? {
        switch self {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): predicate
        default: nil
        }
    }
}

/// The deep subtrees of a tree that is being released. Releasing its root directly would release
/// them recursively.
struct DeepParts {
    private var parts: [NSObject] = []

    init(of node: PredicateNode) { add(node) }

    init(of node: ExpressionNode) { add(node) }

    private mutating func add(_ node: PredicateNode) {
        switch node {
        case .constant, .block: break
        case .comparison(let comparison):
            add(comparison.left)
            add(comparison.right)
        case .compound(_, let inner): for part in inner { add(part) }
        }
    }

    private mutating func add(_ node: ExpressionNode) {
        for child in node.children { add(child) }
        if let condition = node.condition { add(condition) }
    }

    private mutating func add(_ expression: NSExpression) {
        if expression.depth > TreeDepth.plain { parts.append(expression) }
    }

    private mutating func add(_ predicate: NSPredicate) {
        if predicate.depth > TreeDepth.plain { parts.append(predicate) }
    }

    /// Releases the subtrees. The deep subtrees of each are added to the list first.
    mutating func release() {
        while var part = parts.popLast() {
            // A subtree with other references is not changed.
            guard isKnownUniquelyReferenced(&part) else { continue }
            switch part {
            case let predicate as NSPredicate: add(predicate.node)
            case let expression as NSExpression: add(expression.node)
            default: break
            }
        }
    }
}
