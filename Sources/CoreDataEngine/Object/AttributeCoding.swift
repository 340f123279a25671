import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

/// Converts between stored values and the objects of key-value coding.
enum AttributeCoding {
    /// The object for a stored value; nil for a null. Numbers are `NSNumber`; strings, dates, data,
    /// UUIDs and URLs have their Swift types.
    static func object(from value: Value, kind: ValueKind) -> Any? {
        switch value {
        case .null, .reference: return nil
        case .integer(let integer): return number(integer, kind)
        case .double(let double):
            switch kind {
            case .date: return Date(timeIntervalSinceReferenceDate: double)
            case .float: return NSNumber(value: Float(double))
            default: return NSNumber(value: double)
            }
        case .string(let text): return kind == .uri ? URL(string: text) : text
        case .data(let data): return data
        case .uuid(let uuid): return uuid
        case .decimal(let decimal): return NSDecimalNumber(decimal: decimal)
        case .object(let held): return held.object
        }
    }

    /// The operand with which predicates compare a stored value. It equals the operand of
    /// ``object(from:kind:)``, but no object is created.
    static func operand(from value: Value, kind: ValueKind) -> Operand {
        switch value {
        case .integer(let integer): .integer(whole(integer, kind))
        case .double(let double) where kind == .float: .double(Double(Float(double)))
        case .object(let held): Operand(held.object)
        default: value.operand(kind)
        }
    }

    static func whole(_ integer: Int64, _ kind: ValueKind) -> Int64 {
        switch kind {
        case .boolean: integer != 0 ? 1 : 0
        case .integer16: Int64(Int16(truncatingIfNeeded: integer))
        case .integer32: Int64(Int32(truncatingIfNeeded: integer))
        default: integer
        }
    }

    private static func number(_ integer: Int64, _ kind: ValueKind) -> NSNumber {
        switch kind {
        case .boolean: NSNumber(value: integer != 0)
        case .integer16: NSNumber(value: Int16(truncatingIfNeeded: integer))
        case .integer32: NSNumber(value: Int32(truncatingIfNeeded: integer))
        default: NSNumber(value: integer)
        }
    }

    /// The stored value for an object, or nil if the attribute cannot hold it.
    static func value(from object: Any?, kind: ValueKind) -> Value? {
        guard let object = flattened(object) else { return .null }
        switch kind {
        case .integer16, .integer32, .integer64, .boolean:
            return integer(object).map { .integer($0) }
        case .double, .float: return double(object).map { .double($0) }
        case .date:
            return (object as? Date).map { .double($0.timeIntervalSinceReferenceDate) }
        case .decimal: return decimal(object).map { .decimal($0) }
        case .string: return (object as? String).map { .string($0) }
        case .uri: return (object as? URL).map { .string($0.absoluteString) }
        case .uuid: return (object as? UUID).map { .uuid($0) }
        case .binary: return (object as? Data).map { .data($0) }
        case .toOne: return nil
        }
    }

    /// Unwraps nested optionals; returns nil for `NSNull`.
    static func flattened(_ object: Any?) -> Any? {
        guard let object else { return nil }
        if object is NSNull { return nil }
        let mirror = Mirror(reflecting: object)
        guard mirror.displayStyle == .optional else { return object }
        return flattened(mirror.children.first?.value)
    }

    private static func integer(_ object: Any) -> Int64? {
        switch object {
        case let value as Bool: return value ? 1 : 0
        case let value as any FixedWidthInteger: return Int64(exactly: value)
        case let value as NSNumber: return value.int64Value
        default: return nil
        }
    }

    private static func double(_ object: Any) -> Double? {
        switch object {
        case let value as Double: return value
        case let value as Float: return Double(value)
        case let value as any FixedWidthInteger: return Double(value)
        case let value as NSNumber: return value.doubleValue
        default: return nil
        }
    }

    private static func decimal(_ object: Any) -> Decimal? {
        switch object {
        case let value as Decimal: return value
        case let value as NSDecimalNumber: return value.decimalValue
        case let value as any FixedWidthInteger: return Int64(exactly: value).map { Decimal($0) }
        case let value as NSNumber: return value.decimalValue
        default: return nil
        }
    }
}
