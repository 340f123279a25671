import CoreDataModel
import CoreDataStore
import Foundation

/// A Swift type that a typed accessor can read from a slot and write into it.
///
/// The scalar types of Core Data's attributes, their optionals and the Swift value types conform;
/// apps need not add conformances. As in Core Data's scalar accessors, a non-optional scalar reads
/// as zero if the attribute is nil.
public protocol AttributeValue {
    /// Reads a non-null slot directly from a row.
    static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> Self
    /// The value that the accessor returns for a null slot.
    static var _null: Self { get }
    /// Converts an unsaved value, which is not in a row.
    static func _convert(_ value: _Value) -> Self
    /// The value in the form in which the object stores unsaved values.
    var _stored: _Value { get }
}

extension AttributeValue where Self: FixedWidthInteger {
    /// Reads a slot that is not null.
    @inlinable @inline(__always)
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> Self {
        Self(truncatingIfNeeded: RowWords.word(cells, slot))
    }

    /// The value of a null slot.
    @inlinable public static var _null: Self { 0 }

    /// Converts a value that is not in a row.
    @inlinable
    public static func _convert(_ value: _Value) -> Self {
        switch value {
        case .integer(let integer): Self(truncatingIfNeeded: integer)
        case .double(let double): Self(exactly: double.rounded(.towardZero)) ?? 0
        default: 0
        }
    }

    /// The form in which the object stores the value until the next save.
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

    /// The value of a null slot.
    @inlinable public static var _null: Bool { false }

    /// Converts a value that is not in a row.
    @inlinable
    public static func _convert(_ value: _Value) -> Bool {
        if case .integer(let integer) = value { return integer != 0 }
        return false
    }

    /// The form in which the object stores the value until the next save.
    @inlinable public var _stored: _Value { .integer(self ? 1 : 0) }
}

extension AttributeValue where Self: BinaryFloatingPoint {
    /// Reads a slot that is not null.
    @inlinable @inline(__always)
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> Self {
        Self(Double(bitPattern: RowWords.word(cells, slot)))
    }

    /// The value of a null slot.
    @inlinable public static var _null: Self { 0 }

    /// Converts a value that is not in a row.
    @inlinable
    public static func _convert(_ value: _Value) -> Self {
        switch value {
        case .double(let double): Self(double)
        case .integer(let integer): Self(integer)
        default: 0
        }
    }

    /// The form in which the object stores the value until the next save.
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

    /// The value of a null slot.
    @inlinable public static var _null: Date { Date(timeIntervalSinceReferenceDate: 0) }

    /// Converts a value that is not in a row.
    @inlinable
    public static func _convert(_ value: _Value) -> Date {
        Date(timeIntervalSinceReferenceDate: Double._convert(value))
    }

    /// The form in which the object stores the value until the next save.
    @inlinable public var _stored: _Value { .double(timeIntervalSinceReferenceDate) }
}

extension String: AttributeValue {
    /// Reads a slot that is not null.
    @inlinable @inline(__always)
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> String {
        String(decoding: RowWords.bytes(cells, slot), as: UTF8.self)
    }

    /// The value of a null slot.
    @inlinable public static var _null: String { "" }

    /// Converts a value that is not in a row.
    @inlinable
    public static func _convert(_ value: _Value) -> String {
        if case .string(let string) = value { return string }
        return ""
    }

    /// The form in which the object stores the value until the next save.
    @inlinable public var _stored: _Value { .string(self) }
}

extension Data: AttributeValue {
    /// Reads a slot that is not null.
    @inlinable
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> Data {
        Data(RowWords.bytes(cells, slot))
    }

    /// The value of a null slot.
    @inlinable public static var _null: Data { Data() }

    /// Converts a value that is not in a row.
    @inlinable
    public static func _convert(_ value: _Value) -> Data {
        if case .data(let data) = value { return data }
        return Data()
    }

    /// The form in which the object stores the value until the next save.
    @inlinable public var _stored: _Value { .data(self) }
}

extension UUID: AttributeValue {
    /// Reads a slot that is not null.
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> UUID {
        _convert(RowFormat.value(cells, slot: slot, kind: .uuid))
    }

    /// The value of a null slot.
    public static var _null: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }

    /// Converts a value that is not in a row.
    public static func _convert(_ value: _Value) -> UUID {
        if case .uuid(let uuid) = value { return uuid }
        return _null
    }

    /// The form in which the object stores the value until the next save.
    public var _stored: _Value { .uuid(self) }
}

extension URL: AttributeValue {
    /// Reads a slot that is not null.
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> URL {
        _convert(.string(String._load(cells, slot)))
    }

    /// The value of a null slot.
    public static var _null: URL { URL(fileURLWithPath: "/") }

    /// Converts a value that is not in a row.
    public static func _convert(_ value: _Value) -> URL {
        if case .string(let text) = value, let url = URL(string: text) { return url }
        return _null
    }

    /// The form in which the object stores the value until the next save.
    public var _stored: _Value { .string(absoluteString) }
}

extension Decimal: AttributeValue {
    /// Reads a slot that is not null.
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> Decimal {
        _convert(RowFormat.value(cells, slot: slot, kind: .decimal))
    }

    /// The value of a null slot.
    public static var _null: Decimal { 0 }

    /// Converts a value that is not in a row.
    public static func _convert(_ value: _Value) -> Decimal {
        if case .decimal(let decimal) = value { return decimal }
        return 0
    }

    /// The form in which the object stores the value until the next save.
    public var _stored: _Value { .decimal(self) }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    /// Reads a slot that is not null.
    @inlinable @inline(__always)
    public static func _load(_ cells: UnsafeRawPointer, _ slot: Int) -> Wrapped? {
        Wrapped._load(cells, slot)
    }

    /// The value of a null slot.
    @inlinable public static var _null: Wrapped? { nil }

    /// Converts a value that is not in a row.
    @inlinable
    public static func _convert(_ value: _Value) -> Wrapped? {
        if case .null = value { return nil }
        return Wrapped._convert(value)
    }

    /// The form in which the object stores the value until the next save.
    @inlinable public var _stored: _Value { self?._stored ?? .null }
}
