import ContextHistory
import CoreDataModel
import CoreDataStore
import Foundation
import LabScenario

/// Converts between the values of scenario files, of the engine and of histories. The attribute's
/// kind determines the result.
enum LiteralCoding {
    /// Converts a literal for an attribute of this kind to the engine's value; nil if the literal
    /// does not fit.
    static func value(_ literal: Literal, as kind: ValueKind) -> Value? {
        switch (kind, literal) {
        case (_, .null): return .null
        case (.boolean, .flag(let flag)): return .integer(flag ? 1 : 0)
        case (.integer16, .integer(let number)):
            return Int16(exactly: number).map { .integer(Int64($0)) }
        case (.integer32, .integer(let number)):
            return Int32(exactly: number).map { .integer(Int64($0)) }
        case (.integer64, .integer(let number)): return .integer(number)
        case (.double, .integer(let number)), (.float, .integer(let number)):
            return .double(Double(number))
        case (.double, .number(let number)), (.float, .number(let number)): return .double(number)
        case (.decimal, .integer(let number)): return .decimal(Decimal(number))
        case (.decimal, .number(let number)): return .decimal(Decimal(number))
        case (_, .text(let text)): return value(text, as: kind)
        default: return nil
        }
    }

    private static func value(_ text: String, as kind: ValueKind) -> Value? {
        switch kind {
        case .string, .uri: .string(text)
        case .decimal: Decimal(string: text).map(Value.decimal)
        case .uuid: UUID(uuidString: text).map(Value.uuid)
        case .binary: Data(base64Encoded: text).map(Value.data)
        case .date: date(text).map { .double($0.timeIntervalSinceReferenceDate) }
        default: nil
        }
    }

    /// Converts a literal to the object that key-value coding accepts; used for default values.
    static func object(_ literal: Literal, as kind: ValueKind?) -> Any? {
        guard let kind, let value = value(literal, as: kind) else { return nil }
        switch value {
        case .null, .reference: return nil
        case .integer(let number):
            return kind == .boolean ? NSNumber(value: number != 0) : NSNumber(value: number)
        case .double(let number):
            return kind == .date
                ? Date(timeIntervalSinceReferenceDate: number) : NSNumber(value: number)
        case .string(let text): return kind == .uri ? URL(string: text) : text
        case .data(let data): return data
        case .uuid(let uuid): return uuid
        case .decimal(let decimal): return NSDecimalNumber(decimal: decimal)
        case .object(let held): return held.object
        }
    }

    static func date(_ text: String) -> Date? {
        // The date is parsed by hand, because creating a formatter for each value takes longer than
        // a schedule.
        let digits = text.split { !$0.isNumber }.compactMap { Int($0) }
        guard digits.count == 3 || digits.count == 6 else { return nil }
        var parts = DateComponents()
        parts.calendar = Calendar(identifier: .gregorian)
        parts.timeZone = TimeZone(secondsFromGMT: 0)
        (parts.year, parts.month, parts.day) = (digits[0], digits[1], digits[2])
        if digits.count == 6 {
            (parts.hour, parts.minute, parts.second) = (digits[3], digits[4], digits[5])
        }
        return parts.date
    }

    /// Converts a stored value to the form in histories.
    static func observed(
        _ value: Value, kind: ValueKind, name: (ObjectKey) -> String
    ) -> ObservedValue {
        switch value {
        case .null: .null
        case .integer(let integer): kind == .boolean ? .flag(integer != 0) : .integer(integer)
        case .double(let number): kind == .date ? .text(text(number)) : .number(number)
        case .string(let text): .text(text)
        case .data(let data): .text(data.base64EncodedString())
        case .uuid(let uuid): .text(uuid.uuidString)
        case .decimal(let decimal): .text(decimal.description)
        case .reference(let key): .object(name(key))
        case .object(let held): .text("\(held.object)")
        }
    }

    private static func text(_ seconds: Double) -> String {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: date)
        func two(_ number: Int?) -> String {
            let digits = String(number ?? 0)
            return digits.count < 2 ? "0\(digits)" : digits
        }
        return "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))"
            + "T\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))Z"
    }

    /// Converts an observed value to a value of an attribute of this kind, for sums and for values
    /// that were read.
    static func value(_ observed: ObservedValue, as kind: ValueKind) -> Value? {
        switch observed {
        case .null, .none: .null
        case .flag(let flag): kind == .boolean ? .integer(flag ? 1 : 0) : nil
        case .integer(let number): value(Literal.integer(number), as: kind)
        case .number(let number): value(Literal.number(number), as: kind)
        case .text(let text): value(text, as: kind)
        case .object, .list, .unknown: nil
        }
    }

    static func observed(_ literal: Literal) -> ObservedValue {
        switch literal {
        case .null: .null
        case .flag(let flag): .flag(flag)
        case .integer(let number): .integer(number)
        case .number(let number): .number(number)
        case .text(let text): .text(text)
        }
    }
}
