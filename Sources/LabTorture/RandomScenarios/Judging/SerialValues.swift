import Foundation
import LabScenario

/// Converts the values of statements to the form of the store's graph.
enum SerialValues {
    /// The text of the value; nil if the value does not fit the attribute's type.
    static func text(_ literal: Literal, _ type: AttributeType) -> String? {
        if literal == .null { return "nil" }
        guard type.accepts(literal) else { return nil }
        switch (type, literal) {
        case (.decimal, .text(let text)): return Decimal(string: text)?.description
        case (.date, .text(let text)): return text.count > 10 ? text : "\(text)T00:00:00Z"
        case (.uuid, .text(let text)): return text.uppercased()
        case (_, .text(let text)): return text
        case (.boolean, .flag(let flag)): return flag ? "true" : "false"
        case (.double, .integer(let number)), (.float, .integer(let number)):
            return String(Double(number))
        case (.decimal, .integer(let number)): return Decimal(number).description
        case (.decimal, .number(let number)): return Decimal(number).description
        case (_, .integer(let number)): return String(number)
        case (_, .number(let number)): return String(number)
        default: return nil
        }
    }
}
