import Foundation

/// A value of an attribute in the canonical form of its type.
///
/// Freezing converts default values to it, and the engine creates new rows from it. So different
/// spellings of a value (`1`, `NSNumber(1)`, `true`) are resolved once.
package enum AttributeConstant: Sendable, Equatable {
    /// Integers of every width.
    case integer(Int64)
    case boolean(Bool)
    /// Doubles and floats.
    case double(Double)
    case date(Date)
    case decimal(Decimal)
    case string(String)
    case uri(URL)
    case uuid(UUID)
    case data(Data)

    /// Converts a value to the canonical form of a type. Returns nil if the value has another type
    /// or is out of range.
    package init?(_ value: Any, as type: NSAttributeType) {
        let constant: AttributeConstant? =
            switch type {
            case .integer16AttributeType: Self.readInteger(value, Int16.self)
            case .integer32AttributeType: Self.readInteger(value, Int32.self)
            case .integer64AttributeType: Self.readInteger(value, Int64.self)
            case .booleanAttributeType: Self.readBoolean(value)
            case .doubleAttributeType, .floatAttributeType: Self.readDouble(value)
            case .decimalAttributeType: Self.readDecimal(value)
            case .dateAttributeType: (value as? Date).map(Self.date)
            case .stringAttributeType: Self.readString(value)
            case .URIAttributeType: (value as? URL).map(Self.uri)
            case .UUIDAttributeType: (value as? UUID).map(Self.uuid)
            case .binaryDataAttributeType: (value as? Data).map(Self.data)
            case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType,
                .compositeAttributeType:
                nil
            }
        guard let constant else { return nil }
        self = constant
    }

    private static func readInteger<Width: FixedWidthInteger>(
        _ value: Any, _: Width.Type
    ) -> AttributeConstant? {
        guard let number = int64(value), Width(exactly: number) != nil else { return nil }
        return .integer(number)
    }

    /// The number as an integer. Nil if it has a fraction or is too large.
    private static func int64(_ value: Any) -> Int64? {
        guard let number = value as? NSNumber else { return nil }
        let integer = number.int64Value
        return NSNumber(value: integer) == number ? integer : nil
    }

    private static func readBoolean(_ value: Any) -> AttributeConstant? {
        guard let number = int64(value), number == 0 || number == 1 else { return nil }
        return .boolean(number == 1)
    }

    private static func readDouble(_ value: Any) -> AttributeConstant? {
        (value as? NSNumber).map { .double($0.doubleValue) }
    }

    private static func readDecimal(_ value: Any) -> AttributeConstant? {
        if let value = value as? Decimal { return .decimal(value) }
        return (value as? NSNumber).map { .decimal($0.decimalValue) }
    }

    private static func readString(_ value: Any) -> AttributeConstant? {
        (value as? String).map(Self.string)
    }
}
