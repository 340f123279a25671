import Foundation

/// Evaluates a predicate or an expression of any depth without recursion.
///
/// It is used beyond a few hundred levels. The parts below a node are evaluated first and replaced
/// by constants. The resulting node is shallow, so the evaluator can evaluate it.
struct DeepEvaluation {
    private enum Task {
        case predicate(NSPredicate)
        case expression(NSExpression)
        case negate
        /// Continues a compound after the part before `next`.
        case join(NSCompoundPredicate.LogicalType, [NSPredicate], next: Int)
        case compare(Comparison)
        case apply(NSExpression)
        case choose(NSExpression, NSExpression)
        case select(Selection)
        /// Continues a subquery after its predicate was evaluated for one element.
        case selected(Selection)
    }

    /// A subquery whose evaluation is in progress.
    private final class Selection {
        let variable: String
        let predicate: NSPredicate
        var elements: [Any] = []
        var isSet = false
        var place = 0
        var found: [Any] = []
        /// The value that the variable has outside of the subquery.
        var outer: Any?

        init(_ variable: String, _ predicate: NSPredicate) {
            self.variable = variable
            self.predicate = predicate
        }
    }

    let evaluator: Evaluator
    private var todo: [Task] = []
    private var truths: [Bool] = []
    private var values: [Any?] = []

    init(evaluator: Evaluator) {
        self.evaluator = evaluator
    }

    mutating func holds(_ predicate: NSPredicate) throws(PredicateEvaluationError) -> Bool {
        todo.append(.predicate(predicate))
        try run()
        return truths[0]
    }

    mutating func value(_ expression: NSExpression) throws(PredicateEvaluationError) -> Any? {
        todo.append(.expression(expression))
        try run()
        return values[0]
    }

    private mutating func run() throws(PredicateEvaluationError) {
        while let task = todo.popLast() {
            switch task {
            case .predicate(let predicate): try visit(predicate)
            case .expression(let expression): try visit(expression)
            case .negate: truths.append(!truths.removeLast())
            case .join(let type, let parts, let next): join(type, parts, next)
            case .compare(let comparison):
                let sides = take(2)
                truths.append(try evaluator.holds(comparison.with(sides[0], sides[1])))
            case .apply(let expression):
                let node = expression.node
                let made = NSExpression(node: node.replacingChildren(take(node.children.count)))
                values.append(try evaluator.value(made))
            case .choose(let yes, let no): todo.append(.expression(truths.removeLast() ? yes : no))
            case .select(let selection): try begin(selection)
            case .selected(let selection):
                if truths.removeLast() {
                    selection.found.append(selection.elements[selection.place])
                }
                selection.place += 1
                goOn(selection)
            }
        }
    }

    private mutating func visit(_ predicate: NSPredicate) throws(PredicateEvaluationError) {
        guard predicate.depth > TreeDepth.plain else {
            return truths.append(try evaluator.holds(predicate))
        }
        switch predicate.node {
        case .constant, .block: truths.append(try evaluator.holds(predicate))
        case .compound(.not, let parts): todo += [.negate, .predicate(parts[0])]
        case .compound(let type, let parts):
            truths.append(type == .and)
            todo.append(.join(type, parts, next: 0))
        case .comparison(let comparison):
            todo += [
                .compare(comparison), .expression(comparison.right), .expression(comparison.left),
            ]
        }
    }

    private mutating func join(
        _ type: NSCompoundPredicate.LogicalType, _ parts: [NSPredicate], _ next: Int
    ) {
        let isOpen = truths[truths.count - 1] == (type == .and)
        guard isOpen, next < parts.count else { return }
        truths.removeLast()
        todo += [.join(type, parts, next: next + 1), .predicate(parts[next])]
    }

    private mutating func visit(_ expression: NSExpression) throws(PredicateEvaluationError) {
        guard expression.depth > TreeDepth.plain else {
            return values.append(try evaluator.value(expression))
        }
        switch expression.node {
        case .conditional(let condition, let yes, let no):
            todo += [.choose(yes, no), .predicate(condition)]
        case .subquery(let collection, let variable, let predicate):
            todo += [.select(Selection(variable, predicate)), .expression(collection)]
        case .block(let block, let arguments):
            // A block receives its arguments unchanged.
            let context = NSMutableDictionary()
            for (name, value) in evaluator.scope.values { context[name] = value }
            values.append(block(evaluator.object as Any, arguments, context))
        default:
            todo.append(.apply(expression))
            for child in expression.node.children.reversed() { todo.append(.expression(child)) }
        }
    }

    private mutating func begin(_ selection: Selection) throws(PredicateEvaluationError) {
        guard let collection = try evaluator.collection(take(1)[0], for: "SUBQUERY") else {
            return values.append(nil)
        }
        selection.elements = collection.elements
        selection.isSet = collection.isSet
        selection.outer = evaluator.scope.values[selection.variable]
        goOn(selection)
    }

    private mutating func goOn(_ selection: Selection) {
        guard selection.place < selection.elements.count else {
            evaluator.scope.values[selection.variable] = selection.outer
            let found = OperandCollection(elements: selection.found, isSet: selection.isSet)
            return values.append(found.any)
        }
        evaluator.scope.values[selection.variable] = selection.elements[selection.place]
        todo += [.selected(selection), .predicate(selection.predicate)]
    }

    private mutating func take(_ count: Int) -> [NSExpression] {
        defer { values.removeLast(count) }
        return values.suffix(count).map { NSExpression(forConstantValue: $0) }
    }
}
