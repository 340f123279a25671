import Foundation

/// Compares operands by value, whatever their width or class.
package enum OperandComparison {
    package static func areIdentical(_ left: Operand, _ right: Operand) -> Bool {
        switch (left, right) {
        case (.null, .null): return true
        case (.integer(let left), .integer(let right)): return left == right
        case (.string(let left), .string(let right)): return StringOrder.areSame(left, right)
        case (.date(let left), .date(let right)): return left == right
        case (.data(let left), .data(let right)): return left == right
        case (.uuid(let left), .uuid(let right)): return left == right
        case (.url(let left), .url(let right)): return left == right
        case (.object(let left), .object(let right)): return areSameObjects(left, right)
        case (.collection(let left), .collection(let right)): return areSame(left, right)
        default:
            return numericOrder(left, right) == .orderedSame
        }
    }

    /// The order of two values of one kind; `nil` if they have no order.
    package static func order(_ left: Operand, _ right: Operand) -> ComparisonResult? {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return order(of: left, right)
        case (.string(let left), .string(let right)): return StringOrder.binary(left, right)
        case (.date(let left), .date(let right)): return order(of: left, right)
        case (.uuid(let left), .uuid(let right)):
            return order(of: left.uuidString, right.uuidString)
        case (.url(let left), .url(let right)):
            return StringOrder.binary(left.absoluteString, right.absoluteString)
        case (.data(let left), .data(let right)):
            if left == right { return .orderedSame }
            return left.lexicographicallyPrecedes(right) ? .orderedAscending : .orderedDescending
        default:
            return numericOrder(left, right)
        }
    }

    private static func numericOrder(_ left: Operand, _ right: Operand) -> ComparisonResult? {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return order(of: left, right)
        case (.double(let left), .double(let right)): return order(of: left, right)
        case (.integer(let left), .double(let right)): return order(of: left, right)
        case (.double(let left), .integer(let right)): return order(of: right, left)?.reversed
        case (.decimal(let left), .decimal(let right)): return order(of: left, right)
        case (.decimal(let left), .integer(let right)): return order(of: left, Decimal(right))
        case (.integer(let left), .decimal(let right)): return order(of: Decimal(left), right)
        case (.decimal, .double(let right)): return left.double.flatMap { order(of: $0, right) }
        case (.double(let left), .decimal): return right.double.flatMap { order(of: left, $0) }
        default: return nil
        }
    }

    private static func order<T: Comparable>(of left: T, _ right: T) -> ComparisonResult? {
        if left < right { return .orderedAscending }
        if left > right { return .orderedDescending }
        return left == right ? .orderedSame : nil
    }

    /// Compares an integer with a double, without losing digits of large integers.
    private static func order(of left: Int64, _ right: Double) -> ComparisonResult? {
        if right.isNaN { return nil }
        if right >= 0x1p63 { return .orderedAscending }
        if right < -0x1p63 { return .orderedDescending }
        let whole = Int64(right.rounded(.towardZero))
        if left != whole { return left < whole ? .orderedAscending : .orderedDescending }
        let fraction: Double = right - right.rounded(.towardZero)
        return order(of: Double(0), fraction)
    }

    private static func areSameObjects(_ left: Any, _ right: Any) -> Bool {
        if let left = left as? NSObject, type(of: left as Any) is AnyClass {
            guard let right = right as? NSObject else { return false }
            if left === right { return true }
            if let left = left as? any PredicateIdentity,
                let right = right as? any PredicateIdentity
            {
                return left.isSame(as: right)
            }
            return left.isEqual(right)
        }
        if let left = left as? AnyHashable, let right = right as? AnyHashable {
            return left == right
        }
        guard type(of: left) is AnyClass, type(of: right) is AnyClass else { return false }
        return left as AnyObject === right as AnyObject
    }

    private static func areSame(_ left: OperandCollection, _ right: OperandCollection) -> Bool {
        guard left.isSet == right.isSet, left.elements.count == right.elements.count else {
            return false
        }
        guard left.isSet else {
            return zip(left.elements, right.elements).allSatisfy {
                areIdentical(Operand($0), Operand($1))
            }
        }
        let candidates = right.elements.map { Operand($0) }
        return left.elements.allSatisfy { element in
            let operand = Operand(element)
            return candidates.contains { areIdentical(operand, $0) }
        }
    }
}

extension ComparisonResult {
    package var reversed: ComparisonResult {
        switch self {
        case .orderedAscending: .orderedDescending
        case .orderedDescending: .orderedAscending
        case .orderedSame: .orderedSame
        }
    }
}
