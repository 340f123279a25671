/// A value that the lab observed. An object is represented by its alias.
package enum ObservedValue: Sendable, Hashable, CustomStringConvertible {
    case null
    /// The value of a row that does not exist, or of a name that no step has bound.
    case none
    case flag(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case object(String)
    case list([ObservedValue])
    /// A value that is not known, because a recording does not contain it.
    case unknown

    package var description: String {
        switch self {
        case .null: "nil"
        case .none: "none"
        case .flag(let flag): flag ? "true" : "false"
        case .integer(let integer): String(integer)
        case .number(let number): String(number)
        case .text(let text): text
        case .object(let alias): alias
        case .list(let list): "[" + list.map(\.description).joined(separator: ", ") + "]"
        case .unknown: "unknown"
        }
    }

    /// The value for transcripts and messages. Strings are in quotation marks.
    package var quoted: String {
        if case .text(let text) = self { return "\"\(text)\"" }
        if case .list(let list) = self {
            return "[" + list.map(\.quoted).joined(separator: ", ") + "]"
        }
        return description
    }

    package var isObject: Bool {
        if case .object = self { return true }
        return false
    }

    package var holds: Bool {
        switch self {
        case .null, .none, .flag(false), .integer(0): false
        case .list(let list): !list.isEmpty
        default: true
        }
    }
}
