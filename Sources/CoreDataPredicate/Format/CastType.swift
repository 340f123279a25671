import Foundation

/// A target type of CAST, by its Foundation name.
package enum CastType: String, CaseIterable, Sendable {
    case number = "NSNumber"
    case decimal = "NSDecimalNumber"
    case string = "NSString"
    case date = "NSDate"
    case data = "NSData"
    case uuid = "NSUUID"
    case url = "NSURL"

    /// Converts a value; `nil` if the type cannot represent the value.
    ///
    /// Numbers and dates convert by seconds since 2001, data converts to and from Base64 text.
    package func converted(_ operand: Operand) -> Operand? {
        if operand.isNull { return .null }
        switch self {
        case .number: return Self.number(operand)
        case .decimal: return Self.decimal(operand)
        case .string: return Self.string(operand).map(Operand.string)
        case .date:
            if case .date = operand { return operand }
            return Self.number(operand)?.double.map(Operand.date)
        case .data:
            if case .data = operand { return operand }
            guard case .string(let text) = operand else { return nil }
            return Data(base64Encoded: text).map(Operand.data)
        case .uuid:
            if case .uuid = operand { return operand }
            guard case .string(let text) = operand else { return nil }
            return UUID(uuidString: text).map(Operand.uuid)
        case .url:
            if case .url = operand { return operand }
            guard case .string(let text) = operand else { return nil }
            return URL(string: text).map(Operand.url)
        }
    }

    /// The constant for a cast of a literal, if the type has no literals of its own.
    func foldedLiteral(_ value: Any?) -> Any? {
        let operand = Operand(value)
        switch (self, operand) {
        case (.date, .integer), (.date, .double), (.decimal, .string), (.data, .string),
            (.uuid, .string), (.url, .string):
            return converted(operand)?.any
        case (.number, .string(let text)) where ["nan", "inf", "-inf"].contains(text):
            return Double(text)
        default: return nil
        }
    }

    private static func number(_ operand: Operand) -> Operand? {
        switch operand {
        case .integer, .double, .decimal: return operand
        case .date(let seconds): return .double(seconds)
        case .string(let text):
            if let integer = Int64(text) { return .integer(integer) }
            return Double(text).map(Operand.double)
        default: return nil
        }
    }

    private static func decimal(_ operand: Operand) -> Operand? {
        switch operand {
        case .decimal: operand
        case .integer(let value): .decimal(Decimal(value))
        case .double(let value): .decimal(Decimal(value))
        case .string(let text): Decimal(string: text).map(Operand.decimal)
        default: nil
        }
    }

    private static func string(_ operand: Operand) -> String? {
        switch operand {
        case .string(let text): text
        case .integer(let value): String(value)
        case .double(let value): String(value)
        case .decimal(let value): "\(value)"
        case .uuid(let value): value.uuidString
        case .url(let value): value.absoluteString
        case .data(let value): value.base64EncodedString()
        default: nil
        }
    }
}
