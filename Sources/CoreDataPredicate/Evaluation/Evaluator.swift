import Foundation

/// The values of variables during one evaluation.
final class EvaluationScope {
    var values: [String: Any]

    init(_ values: [String: Any]) { self.values = values }
}

/// Evaluates predicates and expressions for one object.
struct Evaluator {
    let object: Any?
    let scope: EvaluationScope
    let missingValues: MissingValues
    /// Whether ANY accepts a single value, as in a store.
    let anyTakesOneValue: Bool

    init(
        _ object: Any?, _ variables: [String: Any]?,
        missingValues: MissingValues = .areValues, anyTakesOneValue: Bool = false
    ) {
        self.object = ExpressionNode.constantValue(object)
        scope = EvaluationScope(variables ?? [:])
        self.missingValues = missingValues
        self.anyTakesOneValue = anyTakesOneValue
    }

    // MARK: Predicates

    func holds(_ predicate: NSPredicate) throws(PredicateEvaluationError) -> Bool {
        if predicate.depth > TreeDepth.plain {
            var deep = DeepEvaluation(evaluator: self)
            return try deep.holds(predicate)
        }
        if missingValues == .areUnknown { return try truth(predicate) ?? false }
        switch predicate.node {
        case .constant(let value): return value
        case .comparison(let comparison): return try holds(comparison)
        case .block(let block): return block(object, scope.values)
        case .compound(.not, let parts):
            return try !holds(parts[0])
        case .compound(.and, let parts):
            for part in parts where try !holds(part) { return false }
            return true
        case .compound(.or, let parts):
            for part in parts where try holds(part) { return true }
            return false
        }
    }

    func holds(_ comparison: Comparison) throws(PredicateEvaluationError) -> Bool {
        let test = ComparisonTest(comparison)
        guard comparison.modifier != .direct else {
            return try test.holds(try operand(comparison.left), try operand(comparison.right))
        }
        let left = try members(of: comparison.left)
        let right = try operand(comparison.right)
        if left.isNull { return comparison.modifier == .all }
        guard case .collection(let collection) = left else {
            if anyTakesOneValue, comparison.modifier == .any {
                return try holds(left, right, comparison, test)
            }
            throw PredicateEvaluationError(
                "The left hand side for an ALL or ANY operator must be either an NSArray or an "
                    + "NSSet; it is \(left.kind), so drop the ALL or ANY")
        }
        let wanted = comparison.modifier == .any
        for element in collection.elements
        where try holds(Operand(element), right, comparison, test) == wanted {
            return wanted
        }
        return !wanted
    }

    /// Compares one element for ANY or ALL; if it is a collection, its members.
    private func holds(
        _ element: Operand, _ right: Operand, _ comparison: Comparison, _ test: ComparisonTest
    ) throws(PredicateEvaluationError) -> Bool {
        if case .collection(let inner) = element, comparison.takesSingleValues(right) {
            let wanted = comparison.modifier == .any
            for element in inner.elements
            where try holds(Operand(element), right, comparison, test) == wanted {
                return wanted
            }
            return !wanted
        }
        guard missingValues == .areUnknown else { return try test.holds(element, right) }
        let (element, right) = (element.asStored, right.asStored)
        return isUnknown(element, right, comparison) ? false : try test.holds(element, right)
    }

    // MARK: Expressions

    func operand(_ expression: NSExpression) throws(PredicateEvaluationError) -> Operand {
        if let constant = expression.constantOperand { return constant }
        if expression.depth > TreeDepth.plain { return Operand(try value(expression)) }
        switch expression.node {
        case .keyPath(let keys): return try KeyReading.operand(at: keys, of: object)
        case .path(let base, let keys):
            return try KeyReading.operand(at: keys, of: try value(base))
        case .function(let name, let arguments):
            if arguments.count == 1, FunctionEvaluation.ofMembers.contains(name) {
                return try FunctionEvaluation.value(of: name, [try members(of: arguments[0])])
            }
            return try FunctionEvaluation.value(of: name, try operands(arguments))
        case .selector(let target, let name, let arguments):
            return try SelectorCall.value(
                of: name, on: try operand(target), try operands(arguments))
        case .set(let operation, let left, let right):
            return .collection(try combined(operation, left, right))
        case .conditional(let condition, let yes, let no):
            return try operand(try holds(condition) ? yes : no)
        case .element(let base, let index):
            return try element(index, of: try operand(base))
        default: return Operand(try value(expression))
        }
    }

    func value(_ expression: NSExpression) throws(PredicateEvaluationError) -> Any? {
        if expression.depth > TreeDepth.plain {
            var deep = DeepEvaluation(evaluator: self)
            return try deep.value(expression)
        }
        switch expression.node {
        case .constant(let value): return value
        case .evaluatedObject: return object
        case .anyKey: throw .anyKey
        case .variable(let name): return try variable(name)
        case .keyPath(let keys): return try KeyReading.value(at: keys[...], of: object)
        case .path(let base, let keys):
            return try KeyReading.value(at: keys[...], of: try value(base))
        case .aggregate(let elements):
            var values: [Any] = []
            for element in elements { values.append(try value(element) ?? NSNull()) }
            return values
        case .subquery(let collection, let variable, let predicate):
            return try selected(collection, variable, predicate)?.any
        case .conditional(let condition, let yes, let no):
            return try value(try holds(condition) ? yes : no)
        case .assignment(let name, let source):
            let value = try value(source)
            scope.values[name] = value ?? NSNull()
            return value
        case .block(let block, let arguments):
            let context = NSMutableDictionary()
            for (name, value) in scope.values { context[name] = value }
            return block(object as Any, arguments, context)
        case .function, .selector, .set, .element: return try operand(expression).any
        }
    }

    /// Evaluates the operand of ANY, ALL or an aggregate function. A key path through a to-many
    /// relationship returns one value for each member, because a set would drop duplicates.
    private func members(
        of expression: NSExpression
    ) throws(PredicateEvaluationError) -> Operand {
        if expression.depth > TreeDepth.plain { return try operand(expression) }
        switch expression.node {
        case .keyPath(let keys) where keys.count > 1:
            return try KeyReading.members(at: keys[...], of: object)
        case .path(let base, let keys):
            return try KeyReading.members(at: keys[...], of: try value(base))
        default: return try operand(expression)
        }
    }

    private func operands(
        _ expressions: [NSExpression]
    ) throws(PredicateEvaluationError) -> [Operand] {
        var operands: [Operand] = []
        operands.reserveCapacity(expressions.count)
        for expression in expressions { operands.append(try operand(expression)) }
        return operands
    }

    private func variable(_ name: String) throws(PredicateEvaluationError) -> Any? {
        guard let value = scope.values[name] else {
            throw PredicateEvaluationError(
                "Can't get value for '$\(name)'; bind it with withSubstitutionVariables or pass it "
                    + "to the evaluation")
        }
        return ExpressionNode.constantValue(value)
    }

    // MARK: Collections

    func collection(
        _ expression: NSExpression, for user: String
    ) throws(PredicateEvaluationError) -> OperandCollection? {
        switch try operand(expression) {
        case .null: return nil
        case .collection(let collection): return collection
        case let other:
            throw PredicateEvaluationError(
                "\(user) needs a collection and got \(other.kind); name a to-many key or pass a "
                    + "list")
        }
    }

    private func selected(
        _ source: NSExpression, _ variable: String, _ predicate: NSPredicate
    ) throws(PredicateEvaluationError) -> OperandCollection? {
        guard let collection = try collection(source, for: "SUBQUERY") else { return nil }
        let outer = scope.values[variable]
        defer { scope.values[variable] = outer }
        var elements: [Any] = []
        for element in collection.elements {
            scope.values[variable] = element
            if try holds(predicate) { elements.append(element) }
        }
        return OperandCollection(elements: elements, isSet: collection.isSet)
    }

    private func combined(
        _ operation: ExpressionNode.SetOperation, _ left: NSExpression, _ right: NSExpression
    ) throws(PredicateEvaluationError) -> OperandCollection {
        let left = try collection(left, for: operation.rawValue)?.elements ?? []
        let right = try collection(right, for: operation.rawValue)?.elements ?? []
        var known = OperandSet()
        let elements: [Any]
        switch operation {
        case .union:
            elements = Statistics.distinct(left + right)
        case .intersect:
            for element in right { _ = known.insert(Operand(element)) }
            elements = Statistics.distinct(left).filter { known.contains(Operand($0)) }
        case .minus:
            for element in right { _ = known.insert(Operand(element)) }
            elements = Statistics.distinct(left).filter { !known.contains(Operand($0)) }
        }
        return OperandCollection(elements: elements, isSet: true)
    }

    private func element(
        _ index: ExpressionNode.CollectionIndex, of base: Operand
    ) throws(PredicateEvaluationError) -> Operand {
        if base.isNull { return .null }
        if case .object(let dictionary as any TextKeyed) = base, case .at(let key) = index,
            case .string(let key) = try operand(key)
        {
            return Operand(dictionary.keyedValue(key))
        }
        guard case .collection(let collection) = base else {
            throw PredicateEvaluationError(
                "an index needs a list and got \(base.kind); name an ordered to-many key")
        }
        let elements = collection.elements
        switch index {
        case .size: return .integer(Int64(elements.count))
        case .first: return Operand(elements.first)
        case .last: return Operand(elements.last)
        case .at(let expression):
            guard case .integer(let position) = try operand(expression) else {
                throw PredicateEvaluationError("an index must be a whole number from 0")
            }
            // An index beyond the end has no value, and neither has any index of an empty list.
            return Int(exactly: position).flatMap { elements.indices.contains($0) ? $0 : nil }
                .map { Operand(elements[$0]) } ?? .null
        }
    }
}

extension Comparison {
    /// Whether the elements of a collection on the left side are compared one by one.
    fileprivate func takesSingleValues(_ right: Operand) -> Bool {
        switch (self.operator, right) {
        case (.contains, _): false
        case (.in, _), (.between, _): true
        case (_, .collection): false
        default: true
        }
    }
}
