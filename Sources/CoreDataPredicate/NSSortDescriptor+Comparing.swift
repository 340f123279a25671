import CoreDataTrace
import Foundation

extension NSSortDescriptor {
    /// Implements ``compare(_:to:)``.
    func comparedOrTrap(_ left: Any, _ right: Any) -> ComparisonResult {
        do {
            return try compareCore(left, right)
        } catch {
            trap("\(self): \(error)")
        }
    }

    /// Compares two objects by the key's values, in the descriptor's direction.
    ///
    /// - Throws: ``PredicateEvaluationError`` for unknown keys and values without an order.
    package func compareCore(
        _ left: Any?, _ right: Any?
    ) throws(PredicateEvaluationError) -> ComparisonResult {
        try compareSortValues(try sortValue(of: left), try sortValue(of: right))
    }

    /// The value that the descriptor compares. Sorting reads it once for each object.
    package func sortValue(of object: Any?) throws(PredicateEvaluationError) -> Operand {
        if let value = unnamedValue(of: object) {
            return customComparator == nil ? value : .object(value.any ?? NSNull())
        }
        if customComparator == nil { return try KeyReading.operand(at: keys, of: object) }
        return .object(try KeyReading.value(at: keys[...], of: object) ?? NSNull())
    }

    /// Compares two values of ``sortValue(of:)``, in the descriptor's direction.
    ///
    /// - Throws: ``PredicateEvaluationError`` for values without an order.
    package func compareSortValues(
        _ left: Operand, _ right: Operand
    ) throws(PredicateEvaluationError) -> ComparisonResult {
        let result: ComparisonResult
        if let customComparator, case .object(let left) = left, case .object(let right) = right {
            result = customComparator(left, right)
        } else {
            result = try compareValues(left, right)
        }
        return ascending ? result : result.reversed
    }

    /// Compares two values by the selector, in ascending order.
    package func compareValues(
        _ left: Operand, _ right: Operand
    ) throws(PredicateEvaluationError) -> ComparisonResult {
        if left.isNull || right.isNull {
            return left.isNull == right.isNull
                ? .orderedSame : left.isNull ? .orderedAscending : .orderedDescending
        }
        guard let order = stringOrder else {
            throw PredicateEvaluationError(
                "unsupported NSSortDescriptor selector: \(selectorName); write compare:, "
                    + "caseInsensitiveCompare:, localizedCompare:, "
                    + "localizedCaseInsensitiveCompare: or localizedStandardCompare:")
        }
        switch (left, right) {
        case (.string(let left), .string(let right)): return order.compare(left, right)
        case (.url(let left), .url(let right)):
            return order.compare(left.absoluteString, right.absoluteString)
        default: break
        }
        if order == .binary, let result = OperandComparison.order(left, right) { return result }
        if left.isNaN || right.isNaN {
            // NaN comes before all numbers and dates, because an order must include it.
            return left.isNaN == right.isNaN
                ? .orderedSame : left.isNaN ? .orderedAscending : .orderedDescending
        }
        throw PredicateEvaluationError(
            "\(selectorName) cannot order \(left.kind) and \(right.kind); sort by a key whose "
                + "values are of one kind")
    }

    private var selectorName: String { selector?.name ?? "compare:" }

    /// A function that compares two values of the key in ascending order.
    public var comparator: Comparator {
        if let customComparator { return customComparator }
        return { left, right in
            do {
                return try self.compareValues(Operand(left), Operand(right))
            } catch {
                trap("\(self): \(error)")
            }
        }
    }
}
