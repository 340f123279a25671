import CoreDataSQL
import Foundation

/// The SQL literal of a value. A migration uses it to fill a column with a default value.
enum SQLLiteral {
    package static func text(_ value: Value) -> String {
        switch value {
        case .null, .object: "NULL"
        case .integer(let integer): String(integer)
        case .double(let double): number(double)
        case .string(let string): string.sqlLiteral
        case .data(let data): blob(data)
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { blob($0) }
        // The column is numeric, so a decimal becomes a double, as in a save.
        case .decimal(let decimal): number(NSDecimalNumber(decimal: decimal).doubleValue)
        case .reference(let key): String(key.key)
        }
    }

    private static func number(_ double: Double) -> String {
        // SQL has no literals for infinite values. SQLite reads 9e999 as infinity.
        if double.isNaN { return "NULL" }
        if double.isInfinite { return double < 0 ? "-9e999" : "9e999" }
        return "\(double)"
    }

    private static func blob(_ bytes: some Sequence<UInt8>) -> String {
        let digits = bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        return "X'\(digits.joined())'"
    }
}
