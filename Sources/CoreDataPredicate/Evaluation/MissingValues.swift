import Foundation

/// What a comparison says of a value that is missing.
enum MissingValues {
    /// Nil equals nil and differs from every other value, as in Foundation.
    case areValues
    /// Nothing is known of it, nor of its negation; only `== nil` and `!= nil` ask for it. So
    /// stores answer, which keep NULL.
    case areUnknown
}

/// Evaluation as in SQL, which is done where a store tests rows for what SQL cannot say.
extension Evaluator {
    /// True, false, or nil for unknown.
    func truth(_ predicate: NSPredicate) throws(PredicateEvaluationError) -> Bool? {
        switch predicate.node {
        case .constant(let value): return value
        case .comparison(let comparison): return try truth(comparison)
        case .block(let block): return block(object, scope.values)
        case .compound(.not, let parts): return try truth(parts[0]).map { !$0 }
        case .compound(.and, let parts): return try joined(parts, until: false)
        case .compound(.or, let parts): return try joined(parts, until: true)
        }
    }

    /// - Parameter decisive: what one part decides for all of them.
    private func joined(
        _ parts: [NSPredicate], until decisive: Bool
    ) throws(PredicateEvaluationError) -> Bool? {
        var isKnown = true
        for part in parts {
            guard let found = try truth(part) else {
                isKnown = false
                continue
            }
            if found == decisive { return decisive }
        }
        return isKnown ? !decisive : nil
    }

    private func truth(_ comparison: Comparison) throws(PredicateEvaluationError) -> Bool? {
        if comparison.modifier != .direct { return try holds(comparison) }
        let left = try operand(comparison.left).asStored
        let right = try operand(comparison.right).asStored
        if isUnknown(left, right, comparison) { return nil }
        let test = ComparisonTest(comparison)
        if comparison.operator == .between, case .collection(let bounds) = right,
            bounds.elements.count == 2
        {
            return try between(left, bounds.elements.map { Operand($0).asStored }, test)
        }
        return try test.holds(left, right)
    }

    /// Both of two comparisons, one of which alone may tell that the value is not between.
    private func between(
        _ value: Operand, _ bounds: [Operand], _ test: ComparisonTest
    ) throws(PredicateEvaluationError) -> Bool? {
        let low = try test.order(bounds[0], value).map { $0 != .orderedDescending }
        let high = try test.order(value, bounds[1]).map { $0 != .orderedDescending }
        if low == false || high == false { return false }
        return low == nil || high == nil ? nil : true
    }

    /// Whether a value that the comparison needs is missing. A membership is known without one:
    /// what is missing is not among the members.
    func isUnknown(_ left: Operand, _ right: Operand, _ comparison: Comparison) -> Bool {
        guard left.isNull || right.isNull, !comparison.asksForMissing else { return false }
        let (whole, part, expression) =
            comparison.operator == .in
            ? (right, left, comparison.right) : (left, right, comparison.left)
        guard comparison.operator == .in || comparison.operator == .contains else { return true }
        if case .object = part { return false }
        if case .collection = whole { return expression.isList }
        return true
    }
}

extension Comparison {
    /// Whether it is `== nil` or `!= nil`.
    fileprivate var asksForMissing: Bool {
        guard self.operator == .equalTo || self.operator == .notEqualTo else { return false }
        return [left, right].contains { $0.constantOperand?.isNull == true }
    }
}

extension NSExpression {
    /// Whether it is a list of values, and not a path to members.
    fileprivate var isList: Bool {
        switch node {
        case .constant, .aggregate: true
        default: false
        }
    }
}

extension Operand {
    /// The value as SQLite computes with it: it has no value that is not a number.
    var asStored: Operand { isNaN ? .null : self }
}
