import ContextHistory

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
