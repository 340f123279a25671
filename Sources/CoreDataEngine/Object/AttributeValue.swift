import CoreDataModel
import CoreDataStore
import Foundation

/// A Swift type that a typed accessor can read from a slot and write into it.
///
/// Conformances exist for the scalar types of Core Data's attributes, their optionals and the
/// value classes' Swift twins; apps use them and need not add any. A non-optional scalar reads
/// zero where the attribute is nil, as Core Data's scalar accessors do.
public protocol AttributeValue {
    /// Reads a slot that is not null straight from the words of a row.
    static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> Self
    /// The value of a null slot.
    static var _null: Self { get }
    /// Converts a value that is not in a row.
    static func _convert(_ value: _Value) -> Self
    /// The value as it is kept until the next save.
    var _stored: _Value { get }
}

extension AttributeValue where Self: FixedWidthInteger {
    /// Reads a slot that is not null.
    @inlinable @inline(__always)
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> Self {
        Self(truncatingIfNeeded: RowWords.word(cells, slot))
    }

    /// What a null slot reads as.
    @inlinable public static var _null: Self { 0 }

    /// Takes a value that is not in a row.
    @inlinable
    public static func _convert(_ value: _Value) -> Self {
        switch value {
        case .integer(let integer): Self(truncatingIfNeeded: integer)
        case .double(let double): Self(exactly: double.rounded(.towardZero)) ?? 0
        default: 0
        }
    }

    /// The value as it is kept until the next save.
    @inlinable public var _stored: _Value { .integer(Int64(self)) }
}

extension Int: AttributeValue {}
extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension Int64: AttributeValue {}

extension Bool: AttributeValue {
    /// Reads a slot that is not null.
    @inlinable @inline(__always)
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> Bool {
        RowWords.word(cells, slot) != 0
    }

    /// What a null slot reads as.
    @inlinable public static var _null: Bool { false }

    /// Takes a value that is not in a row.
    @inlinable
    public static func _convert(_ value: _Value) -> Bool {
        if case .integer(let integer) = value { return integer != 0 }
        return false
    }

    /// The value as it is kept until the next save.
    @inlinable public var _stored: _Value { .integer(self ? 1 : 0) }
}

extension AttributeValue where Self: BinaryFloatingPoint {
    /// Reads a slot that is not null.
    @inlinable @inline(__always)
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> Self {
        Self(Double(bitPattern: RowWords.word(cells, slot)))
    }

    /// What a null slot reads as.
    @inlinable public static var _null: Self { 0 }

    /// Takes a value that is not in a row.
    @inlinable
    public static func _convert(_ value: _Value) -> Self {
        switch value {
        case .double(let double): Self(double)
        case .integer(let integer): Self(integer)
        default: 0
        }
    }

    /// The value as it is kept until the next save.
    @inlinable public var _stored: _Value { .double(Double(self)) }
}

extension Double: AttributeValue {}
extension Float: AttributeValue {}

extension Date: AttributeValue {
    /// Reads a slot that is not null.
    @inlinable
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: RowWords.word(cells, slot)))
    }

    /// What a null slot reads as.
    @inlinable public static var _null: Date { Date(timeIntervalSinceReferenceDate: 0) }

    /// Takes a value that is not in a row.
    @inlinable
    public static func _convert(_ value: _Value) -> Date {
        Date(timeIntervalSinceReferenceDate: Double._convert(value))
    }

    /// The value as it is kept until the next save.
    @inlinable public var _stored: _Value { .double(timeIntervalSinceReferenceDate) }
}

extension String: AttributeValue {
    /// Reads a slot that is not null.
    @inlinable @inline(__always)
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> String {
        String(decoding: RowWords.bytes(cells, slot), as: UTF8.self)
    }

    /// What a null slot reads as.
    @inlinable public static var _null: String { "" }

    /// Takes a value that is not in a row.
    @inlinable
    public static func _convert(_ value: _Value) -> String {
        if case .string(let string) = value { return string }
        return ""
    }

    /// The value as it is kept until the next save.
    @inlinable public var _stored: _Value { .string(self) }
}

extension Data: AttributeValue {
    /// Reads a slot that is not null.
    @inlinable
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> Data {
        Data(RowWords.bytes(cells, slot))
    }

    /// What a null slot reads as.
    @inlinable public static var _null: Data { Data() }

    /// Takes a value that is not in a row.
    @inlinable
    public static func _convert(_ value: _Value) -> Data {
        if case .data(let data) = value { return data }
        return Data()
    }

    /// The value as it is kept until the next save.
    @inlinable public var _stored: _Value { .data(self) }
}

extension UUID: AttributeValue {
    /// Reads a slot that is not null.
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> UUID {
        _convert(RowFormat.value(cells, slot: slot, kind: .uuid))
    }

    /// What a null slot reads as.
    public static var _null: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }

    /// Takes a value that is not in a row.
    public static func _convert(_ value: _Value) -> UUID {
        if case .uuid(let uuid) = value { return uuid }
        return _null
    }

    /// The value as it is kept until the next save.
    public var _stored: _Value { .uuid(self) }
}

extension URL: AttributeValue {
    /// Reads a slot that is not null.
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> URL {
        _convert(.string(String._load(cells, slot)))
    }

    /// What a null slot reads as.
    public static var _null: URL { URL(fileURLWithPath: "/") }

    /// Takes a value that is not in a row.
    public static func _convert(_ value: _Value) -> URL {
        if case .string(let text) = value, let url = URL(string: text) { return url }
        return _null
    }

    /// The value as it is kept until the next save.
    public var _stored: _Value { .string(absoluteString) }
}

extension Decimal: AttributeValue {
    /// Reads a slot that is not null.
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> Decimal {
        _convert(RowFormat.value(cells, slot: slot, kind: .decimal))
    }

    /// What a null slot reads as.
    public static var _null: Decimal { 0 }

    /// Takes a value that is not in a row.
    public static func _convert(_ value: _Value) -> Decimal {
        if case .decimal(let decimal) = value { return decimal }
        return 0
    }

    /// The value as it is kept until the next save.
    public var _stored: _Value { .decimal(self) }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    /// Reads a slot that is not null.
    @inlinable @inline(__always)
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> Wrapped? {
        Wrapped._load(cells, slot)
    }

    /// What a null slot reads as.
    @inlinable public static var _null: Wrapped? { nil }

    /// Takes a value that is not in a row.
    @inlinable
    public static func _convert(_ value: _Value) -> Wrapped? {
        if case .null = value { return nil }
        return Wrapped._convert(value)
    }

    /// The value as it is kept until the next save.
    @inlinable public var _stored: _Value { self?._stored ?? .null }
}
