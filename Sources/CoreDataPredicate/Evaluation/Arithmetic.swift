import Foundation

/// Functions of two numbers.
enum Arithmetic {
    /// Computes a function of two arguments. `null` if one of them is `null`, or on a division by
    /// zero.
    ///
    /// Integers stay integers until they overflow: `3 / 2` is 1, as in Foundation and SQL.
    static func value(
        of name: String, _ left: Operand, _ right: Operand
    ) throws(PredicateEvaluationError) -> Operand {
        if left.isNull || right.isNull { return .null }
        switch (left, right) {
        case (.integer(let left), .integer(let right)):
            return try integers(name, left, right)
        case (.decimal(let left), .decimal(let right)):
            return try decimals(name, left, right)
        case (.decimal(let left), .integer(let right)):
            return try decimals(name, left, Decimal(right))
        case (.integer(let left), .decimal(let right)):
            return try decimals(name, Decimal(left), right)
        case (.date(let left), .date(let right)) where name == "from:subtract:":
            return .double(left - right)
        case (.date(let seconds), _) where name == "from:subtract:" || name == "add:to:":
            if let shift = right.double {
                return .date(name == "add:to:" ? seconds + shift : seconds - shift)
            }
        case (_, .date(let seconds)) where name == "add:to:":
            if let shift = left.double { return .date(seconds + shift) }
        default:
            if let left = left.double, let right = right.double {
                return try doubles(name, left, right)
            }
        }
        throw PredicateEvaluationError(
            "\(name) cannot take \(left.kind) and \(right.kind); use numbers, or CAST them")
    }

    /// Divides without rounding to an integer.
    static func quotient(
        _ sum: Operand, _ count: Double
    ) throws(PredicateEvaluationError) -> Operand {
        if case .decimal(let sum) = sum { return .decimal(sum / Decimal(count)) }
        return .double((sum.double ?? 0) / count)
    }

    private static func integers(
        _ name: String, _ left: Int64, _ right: Int64
    ) throws(PredicateEvaluationError) -> Operand {
        let (result, overflow): (Int64, Bool)
        switch name {
        case "add:to:": (result, overflow) = left.addingReportingOverflow(right)
        case "from:subtract:": (result, overflow) = left.subtractingReportingOverflow(right)
        case "multiply:by:": (result, overflow) = left.multipliedReportingOverflow(by: right)
        case "divide:by:":
            if right == 0 { return .null }
            (result, overflow) = left.dividedReportingOverflow(by: right)
        case "modulus:by:":
            if right == 0 { return .null }
            (result, overflow) = left.remainderReportingOverflow(dividingBy: right)
            if overflow { return .integer(0) }
        case "bitwiseAnd:with:": return .integer(left & right)
        case "bitwiseOr:with:": return .integer(left | right)
        case "bitwiseXor:with:": return .integer(left ^ right)
        case "leftshift:by:": return .integer(left << right)
        case "rightshift:by:": return .integer(left >> right)
        case "raise:toPower:" where right >= 0: (result, overflow) = power(left, right)
        default: return try doubles(name, Double(left), Double(right))
        }
        return overflow ? try doubles(name, Double(left), Double(right)) : .integer(result)
    }

    /// An integer power of an integer, and whether the computation overflowed.
    private static func power(_ base: Int64, _ exponent: Int64) -> (Int64, Bool) {
        var (result, base, rest) = (Int64(1), base, exponent)
        while rest > 0 {
            if rest & 1 == 1 {
                let (product, overflow) = result.multipliedReportingOverflow(by: base)
                if overflow { return (0, true) }
                result = product
            }
            rest >>= 1
            guard rest > 0 else { break }
            let (square, overflow) = base.multipliedReportingOverflow(by: base)
            if overflow { return (0, true) }
            base = square
        }
        return (result, false)
    }

    private static func decimals(
        _ name: String, _ left: Decimal, _ right: Decimal
    ) throws(PredicateEvaluationError) -> Operand {
        switch name {
        case "add:to:": return result(NSDecimalAdd, left, right)
        case "from:subtract:": return result(NSDecimalSubtract, left, right)
        case "multiply:by:": return result(NSDecimalMultiply, left, right)
        case "divide:by:": return right == 0 ? .null : result(NSDecimalDivide, left, right)
        default:
            let numbers = [left, right].map { NSDecimalNumber(decimal: $0).doubleValue }
            return try doubles(name, numbers[0], numbers[1])
        }
    }

    private typealias DecimalOperation = (
        UnsafeMutablePointer<Decimal>, UnsafePointer<Decimal>, UnsafePointer<Decimal>,
        NSDecimalNumber.RoundingMode
    ) -> NSDecimalNumber.CalculationError

    /// The result of an operation; null if a decimal cannot express the result. The operators of
    /// `Decimal` would end the process.
    private static func result(
        _ operation: DecimalOperation, _ left: Decimal, _ right: Decimal
    ) -> Operand {
        var result = Decimal()
        var (left, right) = (left, right)
        switch operation(&result, &left, &right, .plain) {
        case .noError, .lossOfPrecision: return .decimal(result)
        default: return .null
        }
    }

    private static func doubles(
        _ name: String, _ left: Double, _ right: Double
    ) throws(PredicateEvaluationError) -> Operand {
        switch name {
        case "add:to:": return .double(left + right)
        case "from:subtract:": return .double(left - right)
        case "multiply:by:": return .double(left * right)
        case "divide:by:": return right == 0 ? .null : .double(left / right)
        case "modulus:by:":
            return right == 0 ? .null : .double(left.truncatingRemainder(dividingBy: right))
        case "raise:toPower:": return .double(pow(left, right))
        default:
            throw PredicateEvaluationError("\(name) needs whole numbers; trunc() them first")
        }
    }
}
