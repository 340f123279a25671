import LabScenario

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

extension ValuePattern {
    /// Whether a value matches this pattern. Numbers of different types can be equal.
    package func fits(_ value: ObservedValue) -> Bool {
        switch self {
        case .any: true
        case .oneOf(let patterns): patterns.contains { $0.fits(value) }
        case .not(let pattern): !pattern.fits(value)
        case .list(let patterns):
            if case .list(let values) = value, values.count == patterns.count {
                zip(patterns, values).allSatisfy { $0.fits($1) }
            } else {
                false
            }
        case .value(let literal): Self.equal(literal, value)
        }
    }

    private static func equal(_ literal: Literal, _ value: ObservedValue) -> Bool {
        switch (literal, value) {
        case (.null, .null), (.text("none"), .none): true
        case (.flag(let wanted), .flag(let flag)): wanted == flag
        case (.integer(let wanted), .integer(let integer)): wanted == integer
        case (.integer(let wanted), .number(let number)): Double(wanted) == number
        case (.number(let wanted), .number(let number)): wanted == number
        case (.number(let wanted), .integer(let integer)): wanted == Double(integer)
        case (.text(let wanted), .text(let text)): wanted == text
        case (.text(let wanted), .object(let alias)): wanted == alias
        default: false
        }
    }
}
