import CoreDataModel
import Foundation

/// Attribute values in an XML store: the name of a type and a string.
enum XMLValue {
    static func types(of kind: ValueKind) -> [String] {
        switch kind {
        case .integer16: ["int16"]
        case .integer32: ["int32"]
        case .integer64: ["int64"]
        case .boolean: ["bool"]
        case .double: ["double"]
        case .float: ["float"]
        case .date: ["date"]
        case .decimal: ["decimal"]
        // XML cannot contain control characters, so strings with them are written in Base64.
        case .string: ["string", "base64"]
        case .uri: ["uri", "base64"]
        case .uuid: ["uuid"]
        case .binary: ["binary"]
        case .toOne: []
        }
    }

    /// The name of the value's type and the value as a string; nil for null.
    package static func text(of value: Value, _ kind: ValueKind) -> (type: String, text: String)? {
        let type = types(of: kind).first ?? ""
        switch value {
        case .null, .reference, .object: return nil
        case .integer(let integer): return (type, "\(integer)")
        case .double(let double): return (type, "\(double)")
        case .string(let text):
            let isPlain = text.unicodeScalars.allSatisfy {
                $0.value >= 32 && $0.value < 0xFFFE || [9, 10, 13].contains($0.value)
                    || $0.value > 0xFFFF
            }
            return isPlain ? (type, text) : ("base64", Data(text.utf8).base64EncodedString())
        case .data(let data): return (type, data.base64EncodedString())
        case .uuid(let uuid): return (type, uuid.uuidString)
        case .decimal(let decimal): return (type, decimal.description)
        }
    }

    /// The value of a string; nil if the string is not valid for the type.
    package static func value(_ text: String, _ type: String) -> Value? {
        switch type {
        case "int16", "int32", "int64", "bool": Int64(text).map { .integer($0) }
        case "double", "float", "date": double(text).map { .double($0) }
        case "string", "uri": .string(text)
        case "base64":
            Data(base64Encoded: text).flatMap { String(validating: $0, as: UTF8.self) }
                .map { .string($0) }
        case "binary": Data(base64Encoded: text).map { .data($0) }
        case "uuid": UUID(uuidString: text).map { .uuid($0) }
        case "decimal": StoredValue.decimal(text).map { .decimal($0) }
        default: nil
        }
    }

    /// Nil if the text has digits but is too large for a double: Swift would convert it to
    /// infinity.
    private static func double(_ text: String) -> Double? {
        guard let double = Double(text) else { return nil }
        let isNumber = text.contains(where: \.isNumber)
        return double.isFinite || !isNumber ? double : nil
    }
}
