import CoreDataModel
import Foundation

/// Converts a number of one attribute type to another, for a migration that changes the type.
///
/// An integer fits only a type that represents it exactly. A fraction does not fit an integer or a
/// Boolean. A fraction that becomes a `Float` is rounded, and fits if the result is finite. A
/// Boolean is 0 or 1. A decimal has the precision of a `Double`.
package struct NumericConversion: Sendable {
    let kind: ValueKind
    /// Whether the numbers are decimals, which a store reads with 15 digits.
    let isFromDecimal: Bool

    /// Creates a conversion between two types. Nil if the numbers need no conversion, or if one of
    /// the types is not numeric.
    package init?(from old: ValueKind, to new: ValueKind) {
        guard Self.isNumeric(old), Self.isNumeric(new), old != new else { return nil }
        let isWidening: Bool =
            switch (old, new) {
            case (.float, .double), (.boolean, .integer16), (.boolean, .integer32),
                (.boolean, .integer64), (.integer16, .integer32), (.integer16, .integer64),
                (.integer32, .integer64):
                true
            default: false
            }
        if isWidening { return nil }
        kind = new
        isFromDecimal = old == .decimal
    }

    static let kinds: [ValueKind] = [
        .boolean, .integer16, .integer32, .integer64, .double, .float, .decimal,
    ]

    package static func isNumeric(_ kind: ValueKind) -> Bool { kinds.contains(kind) }

    init(to kind: ValueKind) {
        self.kind = kind
        isFromDecimal = false
    }

    /// Converts a number to the new type; nil if the number does not fit.
    package func value(of number: Value) -> Value? {
        switch kind {
        case .boolean: whole(number, in: 0...1)
        case .integer16: whole(number, in: Int64(Int16.min)...Int64(Int16.max))
        case .integer32: whole(number, in: Int64(Int32.min)...Int64(Int32.max))
        case .integer64: whole(number, in: Int64.min...Int64.max)
        case .double: double(number).map { .double($0) }
        case .float: float(number).map { .double($0) }
        case .decimal: decimal(number).map { .decimal($0) }
        case .date, .string, .uri, .uuid, .binary, .toOne: nil
        }
    }

    private func whole(_ number: Value, in range: ClosedRange<Int64>) -> Value? {
        let whole: Int64? =
            switch number {
            case .integer(let integer): integer
            case .double(let double): Int64(exactly: double)
            case .decimal(let decimal): Self.whole(decimal)
            default: nil
            }
        return whole.flatMap { range.contains($0) ? .integer($0) : nil }
    }

    private static func whole(_ decimal: Decimal) -> Int64? {
        let integer = NSDecimalNumber(decimal: decimal).int64Value
        return Decimal(integer) == decimal ? integer : nil
    }

    private func double(_ number: Value) -> Double? {
        switch number {
        case .integer(let integer):
            Int64(exactly: Double(integer)) == integer ? Double(integer) : nil
        case .double(let double): double
        // Converting the decimal directly is sometimes off by one bit, so its text is converted.
        case .decimal(let decimal): Double("\(decimal)")
        default: nil
        }
    }

    private func float(_ number: Value) -> Double? {
        if case .integer(let integer) = number {
            let float = Float(integer)
            return Int64(exactly: float) == integer ? Double(float) : nil
        }
        guard let double = double(number) else { return nil }
        let float = Float(double)
        return float.isInfinite && double.isFinite ? nil : Double(float)
    }

    /// The range of magnitudes in which a decimal has all digits of a double.
    private static let decimals = 1e-110...1e127

    private func decimal(_ number: Value) -> Decimal? {
        if case .decimal(let decimal) = number { return decimal }
        guard let double = double(number) else { return nil }
        if case .integer(let integer) = number { return Decimal(integer) }
        guard double == 0 || Self.decimals.contains(abs(double)) else { return nil }
        return Decimal(string: "\(double)")
    }
}
