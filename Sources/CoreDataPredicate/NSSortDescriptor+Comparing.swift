import Foundation

extension NSSortDescriptor {
    /// Compares two objects by the key's values, in the descriptor's direction.
    ///
    /// Objects without a value come first in ascending order.
    ///
    /// - Precondition: The objects have the key and its values have an order; Foundation raises
    ///   an exception otherwise.
    public func compare(_ left: Any, to right: Any) -> ComparisonResult {
        do {
            return try compareCore(left, right)
        } catch {
            preconditionFailure("\(self): \(error)")
        }
    }

    /// Compares two objects by the key's values, in the descriptor's direction.
    ///
    /// - Throws: ``PredicateEvaluationError`` for unknown keys and values without an order.
    package func compareCore(
        _ left: Any?, _ right: Any?
    ) throws(PredicateEvaluationError) -> ComparisonResult {
        let result: ComparisonResult
        if let customComparator {
            let leftValue = try KeyReading.value(at: keys[...], of: left)
            let rightValue = try KeyReading.value(at: keys[...], of: right)
            result = customComparator(leftValue ?? NSNull(), rightValue ?? NSNull())
        } else {
            result = try compareValues(try sortValue(of: left), try sortValue(of: right))
        }
        return ascending ? result : result.reversed
    }

    /// The value that the descriptor compares, read once per object when sorting.
    package func sortValue(of object: Any?) throws(PredicateEvaluationError) -> Operand {
        try KeyReading.operand(at: keys, of: object)
    }

    /// Compares two values by the selector, in ascending order.
    package func compareValues(
        _ left: Operand, _ right: Operand
    ) throws(PredicateEvaluationError) -> ComparisonResult {
        if left.isNull || right.isNull {
            return left.isNull == right.isNull
                ? .orderedSame : left.isNull ? .orderedAscending : .orderedDescending
        }
        let name = selector?.name ?? "compare:"
        guard let order = StringOrder(selector: name) else {
            throw PredicateEvaluationError(
                "unsupported NSSortDescriptor selector: \(name); write compare:, "
                    + "caseInsensitiveCompare:, localizedCompare:, "
                    + "localizedCaseInsensitiveCompare: or localizedStandardCompare:")
        }
        if case .string(let left) = left, case .string(let right) = right {
            return order.compare(left, right)
        }
        if name == "compare:", let result = OperandComparison.order(left, right) { return result }
        if left.double?.isNaN == true || right.double?.isNaN == true {
            // Not-a-number comes before all numbers, so that an order exists.
            let leftIsNumber = left.double?.isNaN == false
            let rightIsNumber = right.double?.isNaN == false
            return leftIsNumber == rightIsNumber
                ? .orderedSame : rightIsNumber ? .orderedAscending : .orderedDescending
        }
        throw PredicateEvaluationError(
            "\(name) cannot order \(left.kind) and \(right.kind); sort by a key whose values are "
                + "of one kind")
    }

    /// The comparison as a function of two values of the key, without the direction.
    public var comparator: Comparator {
        if let customComparator { return customComparator }
        return { left, right in
            do {
                return try self.compareValues(Operand(left), Operand(right))
            } catch {
                preconditionFailure("\(self): \(error)")
            }
        }
    }
}

/// Sorting by several descriptors, with every key read once per object.
package enum ObjectSort {
    /// Returns the objects in the order of the descriptors; equal ones keep their places.
    ///
    /// - Throws: ``PredicateEvaluationError`` for unknown keys and values without an order.
    package static func sorted<Element>(
        _ objects: [Element], by descriptors: [NSSortDescriptor]
    ) throws(PredicateEvaluationError) -> [Element] {
        guard !descriptors.isEmpty, objects.count > 1 else { return objects }
        let order = try permutation(objects, descriptors)
        return order.map { objects[$0] }
    }

    private static func permutation<Element>(
        _ objects: [Element], _ descriptors: [NSSortDescriptor]
    ) throws(PredicateEvaluationError) -> [Int] {
        let width = descriptors.count
        var values: [Operand] = []
        values.reserveCapacity(objects.count * width)
        for object in objects {
            for descriptor in descriptors {
                values.append(
                    descriptor.customComparator == nil
                        ? try descriptor.sortValue(of: object) : .null)
            }
        }
        var failure: PredicateEvaluationError?
        let order = objects.indices.sorted { left, right in
            guard failure == nil else { return left < right }
            do throws(PredicateEvaluationError) {
                for (column, descriptor) in descriptors.enumerated() {
                    var result: ComparisonResult
                    if descriptor.customComparator != nil {
                        result = try descriptor.compareCore(objects[left], objects[right])
                    } else {
                        result = try descriptor.compareValues(
                            values[left * width + column], values[right * width + column])
                        if !descriptor.ascending { result = result.reversed }
                    }
                    if result != .orderedSame { return result == .orderedAscending }
                }
            } catch {
                failure = error
            }
            return left < right
        }
        if let failure { throw failure }
        return order
    }
}
