import CoreDataModel
import Foundation

/// Checks the values that a file may contain for a slot: their kind and their size.
///
/// Called before a value is written and after it is read, so that each written value can be read.
enum StoredValue {
    /// The keys that a file may have. A packed row has 48 bits for one.
    package static let keys: ClosedRange<Int64> = 1...(1 << 46)
    /// The versions that a file may have: a billion saves remain above the maximum.
    package static let versions: ClosedRange<Int32> = 1...(1 << 30)

    /// The problem of a value for a slot; nil if it has none.
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

    /// The decimal number in a text; nil for anything else, and for a number with more digits than
    /// a `Decimal` has.
    package static func decimal(_ text: String) -> Decimal? {
        guard isNumber(text), let decimal = Decimal(string: text), !decimal.isNaN,
            digits(decimal.description) == digits(text)
        else { return nil }
        return decimal
    }

    /// Foundation reads a number at the beginning of the text and ignores the rest of the text.
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
