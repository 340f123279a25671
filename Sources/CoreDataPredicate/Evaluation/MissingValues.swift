import Foundation

/// The rule for comparisons with missing values.
enum MissingValues {
    /// A missing value equals nil and differs from every other value, as in Foundation.
    case areValues
    /// A comparison with a missing value is unknown, and so is its negation. Only `== nil` and `!=
    /// nil` have a result. SQL stores treat NULL like this.
    case areUnknown
}

/// Evaluation by the rules of SQL, with which a store tests rows in memory if SQL cannot express
/// the predicate.
extension Evaluator {
    /// Evaluates a predicate: true, false, or nil for unknown.
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

    /// - Parameter decisive: a part with this value determines the result.
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

    /// Compares a value with two bounds. One known comparison may already show that the value is
    /// not between them.
    private func between(
        _ value: Operand, _ bounds: [Operand], _ test: ComparisonTest
    ) throws(PredicateEvaluationError) -> Bool? {
        let low = try test.order(bounds[0], value).map { $0 != .orderedDescending }
        let high = try test.order(value, bounds[1]).map { $0 != .orderedDescending }
        if low == false || high == false { return false }
        return low == nil || high == nil ? nil : true
    }

    /// Whether the comparison is unknown because a value is missing, as in `nil IN {1, 2}`. But IN
    /// and CONTAINS are known for the members at a key path, because nil is not a member, and for
    /// an object.
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
    fileprivate var asksForMissing: Bool {
        guard self.operator == .equalTo || self.operator == .notEqualTo else { return false }
        return [left, right].contains { $0.constantOperand?.isNull == true }
    }
}

extension NSExpression {
    /// Whether the expression is a list of values, in contrast to a key path to members.
    fileprivate var isList: Bool {
        switch node {
        case .constant, .aggregate: true
        default: false
        }
    }
}

extension Operand {
    /// The value in SQLite's arithmetic, which has NULL instead of NaN.
    var asStored: Operand { isNaN ? .null : self }
}
