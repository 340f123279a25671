import Foundation

enum ConstantPrinter {
    static func parts(of value: Any?) -> (String, ExpressionPrinter.Precedence) {
        switch Operand(value) {
        case .null: return ("nil", .postfix)
        case .integer(let number): return (String(number), number < 0 ? .sign : .postfix)
        case .double(let number): return text(of: number)
        case .decimal(let number): return (cast("\(number)", .decimal), .postfix)
        case .string(let text): return (quoted(text), .postfix)
        case .date(let seconds):
            return ("CAST(\(text(of: seconds).0), \"NSDate\")", .postfix)
        case .data(let data): return (cast(data.base64EncodedString(), .data), .postfix)
        case .uuid(let id): return (cast(id.uuidString, .uuid), .postfix)
        case .url(let url): return (cast(url.absoluteString, .url), .postfix)
        case .collection(let collection): return (text(of: collection), .postfix)
        case .object(let object): return (String(describing: object), .postfix)
        }
    }

    /// The number of nesting levels of a printed value. Lists, casts, a minus sign, and the
    /// parentheses around a negative number are levels.
    static func levels(of value: Any?) -> Int {
        switch Operand(value) {
        case .null, .string, .object: 0
        case .integer(let number): number < 0 ? 2 : 0
        case .double(let number): number.isFinite && number.sign == .plus ? 0 : 2
        case .decimal, .data, .uuid, .url: 1
        case .date: 2
        case .collection(let collection):
            1 + (collection.elements.map { levels(of: $0) }.max() ?? 0)
        }
    }

    private static func text(of number: Double) -> (String, ExpressionPrinter.Precedence) {
        guard number.isFinite else { return (cast("\(number)", .number), .postfix) }
        return ("\(number)", number.sign == .minus ? .sign : .postfix)
    }

    private static func text(of collection: OperandCollection) -> String {
        let elements = collection.elements.map { parts(of: $0).0 }
        // The elements of a set are sorted, so that the text is always the same.
        return "{\((collection.isSet ? elements.sorted() : elements).joined(separator: ", "))}"
    }

    private static func cast(_ text: String, _ type: CastType) -> String {
        "CAST(\(quoted(text)), \"\(type.rawValue)\")"
    }

    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                quoted += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
