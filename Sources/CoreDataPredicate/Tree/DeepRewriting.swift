import Foundation

/// Rewrites trees of any depth without recursion: a list of tasks replaces the recursive calls.
struct DeepRewriting<Rewriting: ExpressionRewriting> {
    private enum Task {
        case predicate(NSPredicate, Rewriting)
        case expression(NSExpression, Rewriting)
        /// Continues a node after all its parts were rewritten.
        case makePredicate(NSPredicate)
        case makeExpression(NSExpression)
    }

    private var todo: [Task] = []
    /// The rewritten parts of nodes that are not rewritten yet, the newest last.
    private var predicates: [NSPredicate] = []
    private var expressions: [NSExpression] = []

    static func rewritten(_ predicate: NSPredicate, by rewriting: Rewriting) -> NSPredicate {
        var deep = DeepRewriting()
        deep.todo.append(.predicate(predicate, rewriting))
        deep.run()
        return deep.predicates[0]
    }

    static func rewritten(_ expression: NSExpression, by rewriting: Rewriting) -> NSExpression {
        var deep = DeepRewriting()
        deep.todo.append(.expression(expression, rewriting))
        deep.run()
        return deep.expressions[0]
    }

    private mutating func run() {
        while let task = todo.popLast() {
            switch task {
            case .predicate(let predicate, let rewriting): visit(predicate, rewriting)
            case .expression(let expression, let rewriting): visit(expression, rewriting)
            case .makePredicate(let predicate): make(predicate)
            case .makeExpression(let expression): make(expression)
            }
        }
    }

    private mutating func visit(_ predicate: NSPredicate, _ rewriting: Rewriting) {
        guard predicate.depth > TreeDepth.plain else {
            return predicates.append(predicate.rewritten(by: rewriting))
        }
        todo.append(.makePredicate(predicate))
        switch predicate.node {
        case .constant, .block: break
        case .compound(_, let parts):
            for part in parts.reversed() { todo.append(.predicate(part, rewriting)) }
        case .comparison(let comparison):
            todo.append(.expression(comparison.right, rewriting))
            todo.append(.expression(comparison.left, rewriting))
        }
    }

    private mutating func visit(_ expression: NSExpression, _ rewriting: Rewriting) {
        guard expression.depth > TreeDepth.plain else {
            return expressions.append(expression.rewritten(by: rewriting))
        }
        if case .path(let base, let keys) = expression.node,
            let found = rewriting.replacement(ofPath: keys, from: base)
        {
            return expressions.append(found)
        }
        if case .function = expression.node,
            let found = rewriting.replacement(ofCall: expression)
        {
            return expressions.append(found)
        }
        todo.append(.makeExpression(expression))
        switch expression.node {
        case .subquery(_, let variable, let predicate):
            todo.append(.predicate(predicate, rewriting.entering(iterator: variable)))
        case .conditional(let predicate, _, _): todo.append(.predicate(predicate, rewriting))
        default: break
        }
        for child in expression.node.children.reversed() {
            todo.append(.expression(child, rewriting))
        }
    }

    private mutating func make(_ predicate: NSPredicate) {
        switch predicate.node {
        case .constant, .block: predicates.append(predicate)
        case .compound(let type, let parts):
            let new = Self.take(parts.count, from: &predicates)
            let isSame = zip(parts, new).allSatisfy { $0 === $1 }
            predicates.append(isSame ? predicate : NSCompoundPredicate(type, new))
        case .comparison(let comparison):
            let new = Self.take(2, from: &expressions)
            let isSame = new[0] === comparison.left && new[1] === comparison.right
            predicates.append(
                isSame
                    ? predicate
                    : NSComparisonPredicate(comparison: comparison.with(new[0], new[1])))
        }
    }

    private mutating func make(_ expression: NSExpression) {
        let node = expression.node
        let children = node.children
        let new = Self.take(children.count, from: &expressions)
        var isSame = zip(children, new).allSatisfy { $0 === $1 }
        let changed: ExpressionNode
        switch node {
        case .subquery(_, let variable, let old):
            let predicate = predicates.removeLast()
            isSame = isSame && predicate === old
            changed = .subquery(collection: new[0], variable: variable, predicate: predicate)
        case .conditional(let old, _, _):
            let predicate = predicates.removeLast()
            isSame = isSame && predicate === old
            changed = .conditional(predicate, new[0], new[1])
        default: changed = node.replacingChildren(new)
        }
        expressions.append(isSame ? expression : NSExpression(node: changed))
    }

    private static func take<Element>(_ count: Int, from list: inout [Element]) -> [Element] {
        defer { list.removeLast(count) }
        return Array(list.suffix(count))
    }
}
