import Foundation

/// A value of an attribute in the one form that its type has.
///
/// Freezing checks default values with it and the engine makes new rows from it, so that what a
/// model's author wrote (`1`, `NSNumber(1)`, `true`) is sorted out once.
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

    /// Nil where the value is not of the type, or too large for it.
    package init?(_ value: Any, as type: NSAttributeType) {
        let constant: AttributeConstant? =
            switch type {
            case .integer16AttributeType: Self.integer(value, in: Int64(Int16.min)...Int64(Int16.max))
            case .integer32AttributeType: Self.integer(value, in: Int64(Int32.min)...Int64(Int32.max))
            case .integer64AttributeType: Self.integer(value, in: .min ... .max)
            case .booleanAttributeType: Self.boolean(value)
            case .doubleAttributeType, .floatAttributeType: Self.double(value)
            case .decimalAttributeType: Self.decimal(value)
            case .dateAttributeType: (value as? Date).map(Self.date)
            case .stringAttributeType: Self.string(value)
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

    private static func integer(_ value: Any, in range: ClosedRange<Int64>) -> AttributeConstant? {
        guard let number = int64(value), range.contains(number) else { return nil }
        return .integer(number)
    }

    private static func int64(_ value: Any) -> Int64? {
        switch value {
        case let value as Bool: value ? 1 : 0
        case let value as any BinaryInteger: Int64(exactly: value)
        case let value as Double: Int64(exactly: value)
        case let value as Float: Int64(exactly: value)
        case let value as NSNumber: Int64(exactly: value.doubleValue) == nil ? nil : value.int64Value
        default: nil
        }
    }

    private static func boolean(_ value: Any) -> AttributeConstant? {
        if let value = value as? Bool { return .boolean(value) }
        guard let number = int64(value), number == 0 || number == 1 else { return nil }
        return .boolean(number == 1)
    }

    private static func double(_ value: Any) -> AttributeConstant? {
        switch value {
        case let value as Double: .double(value)
        case let value as Float: .double(Double(value))
        case let value as NSNumber: .double(value.doubleValue)
        default: int64(value).map { .double(Double($0)) }
        }
    }

    private static func decimal(_ value: Any) -> AttributeConstant? {
        switch value {
        case let value as Decimal: .decimal(value)
        case let value as NSNumber: .decimal(value.decimalValue)
        case let value as Double: .decimal(Decimal(value))
        default: int64(value).map { .decimal(Decimal($0)) }
        }
    }

    private static func string(_ value: Any) -> AttributeConstant? {
        switch value {
        case let value as String: .string(value)
        case let value as NSString: .string(value.description)
        default: nil
        }
    }
}
