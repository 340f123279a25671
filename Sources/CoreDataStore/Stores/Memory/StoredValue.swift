import CoreDataModel
import Foundation

/// Checks the values that a file may contain for a slot: their kind and their size.
///
/// Called before a value is written and after it is read, so that each written value can be read.
enum StoredValue {
    /// The valid keys in a file. A row in memory stores the key of a related row in 48 bits; valid
    /// keys need fewer bits.
    package static let keys: ClosedRange<Int64> = 1...(1 << 46)
    /// The valid versions in a file. The maximum leaves room for a billion further saves.
    package static let versions: ClosedRange<Int32> = 1...(1 << 30)

    /// The reason why a value is not valid for a slot; nil if it is valid.
    package static func problem(_ value: Value, _ kind: ValueKind) -> String? {
        guard value.fits(kind) else {
            return "is \(value.kindName), but the model says \(kind)"
        }
        return isInRange(value, kind) ? nil : "is out of the range of \(kind)"
    }

    private static func isInRange(_ value: Value, _ kind: ValueKind) -> Bool {
        switch (value, kind) {
        case (.integer(let integer), .integer16): Int16(exactly: integer) != nil
        case (.integer(let integer), .integer32): Int32(exactly: integer) != nil
        case (.integer(let integer), .boolean): integer == 0 || integer == 1
        case (.double(let double), .date): double.isFinite
        case (.double(let double), .float): !double.isFinite || Float(double).isFinite
        case (.decimal(let decimal), _): !decimal.isNaN
        case (.string(let text), .uri): URL(string: text) != nil
        case (.reference(let key), _): keys.contains(key.key)
        default: true
        }
    }

    /// Parses a decimal number. Nil if the string is not a number or has more digits than a
    /// `Decimal` can hold.
    package static func decimal(_ text: String) -> Decimal? {
        guard isNumber(text), let decimal = Decimal(string: text), !decimal.isNaN,
            digits(decimal.description) == digits(text)
        else { return nil }
        return decimal
    }

    /// Checked first, because Foundation parses a number at the beginning of the string and ignores
    /// the rest.
    private static func isNumber(_ text: String) -> Bool {
        text.wholeMatch(of: /[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,4})?/) != nil
    }

    /// The significant digits, without decimal point and exponent.
    private static func digits(_ text: String) -> String {
        var digits = text.prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber).drop { $0 == "0" }
        while digits.last == "0" { digits.removeLast() }
        return String(digits)
    }
}

extension Value {
    fileprivate var kindName: String {
        switch self {
        case .null: "nothing"
        case .integer: "an integer"
        case .double: "a number with a fraction"
        case .string: "a text"
        case .data: "binary data"
        case .uuid: "a UUID"
        case .decimal: "a decimal number"
        case .reference: "a reference"
        case .object: "an object"
        }
    }
}
