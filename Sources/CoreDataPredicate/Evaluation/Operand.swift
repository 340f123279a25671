import Foundation

/// A value in a comparison. Evaluation, sorting and the parser convert the caller's `Any` values to
/// operands.
package enum Operand {
    case null
    /// Every integer and every boolean.
    case integer(Int64)
    case double(Double)
    case decimal(Decimal)
    case string(String)
    /// Seconds since 2001-01-01 UTC.
    case date(Double)
    case data(Data)
    case uuid(UUID)
    case url(URL)
    case collection(OperandCollection)
    /// Any other value; compared by identity, `isEqual` or `==`.
    case object(Any)

    /// Converts a value to an operand. Unwraps optionals and objects of Foundation's classes.
    package init(_ value: Any?) {
        guard let value else {
            self = .null
            return
        }
        self = (value as? any PlainValue)?.operand ?? Self.bridged(value)
    }

    private static func bridged(_ value: Any) -> Operand {
        switch value {
        case let number as NSNumber where type(of: value) is AnyClass: return ofNumber(number)
        case let integer as any FixedWidthInteger: return ofInteger(integer)
        case is NSNull: return .null
        case let string as NSString where type(of: value) is AnyClass:
            return .string(String(describing: string))
        case let date as NSDate: return .date(date.timeIntervalSinceReferenceDate)
        case let data as NSData: return .data(Data(referencing: data))
        case let id as NSUUID: return .uuid(id as UUID)
        case let url as NSURL: return .url(url as URL)
        case let optional as any OptionalValue: return Operand(optional.unwrapped)
        default: return OperandCollection(value).map(Operand.collection) ?? .object(value)
        }
    }

    private static func ofNumber(_ number: NSNumber) -> Operand {
        if let decimal = number as? NSDecimalNumber { return .decimal(decimal.decimalValue) }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return .double(number.doubleValue)
        case UInt8(ascii: "Q"), UInt8(ascii: "L"): return ofInteger(number.uint64Value)
        default: return .integer(number.int64Value)
        }
    }

    private static func ofInteger(_ integer: any FixedWidthInteger) -> Operand {
        if let value = Int64(exactly: integer) { return .integer(value) }
        return Decimal(string: String(describing: integer)).map(Operand.decimal) ?? .null
    }

    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: nil
        }
    }

    /// Whether the value is NaN, also as a date, so it has no order.
    package var isNaN: Bool {
        switch self {
        case .double(let value), .date(let value): value.isNaN
        case .decimal(let value): value.isNaN
        default: false
        }
    }

    package var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    /// The operand as a plain Swift value; booleans are integers.
    package var any: Any? {
        switch self {
        case .null: nil
        case .integer(let value): Int(value)
        case .double(let value): value
        case .decimal(let value): value
        case .string(let value): value
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let value): value
        case .uuid(let value): value
        case .url(let value): value
        case .collection(let collection): collection.any
        case .object(let value): value
        }
    }
}
