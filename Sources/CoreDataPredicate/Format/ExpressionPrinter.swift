// Writes expressions as formats that parse back to equal expressions. The predicate printer and
// `NSExpression.description` call it.

import Foundation

/// Writes expressions.
enum ExpressionPrinter {
    /// How tightly an operator binds; a looser operand stands in parentheses.
    enum Precedence: Int, Comparable {
        case comparison, sum, product, sign, power, postfix

        static func < (left: Precedence, right: Precedence) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    static func text(of expression: NSExpression) -> String {
        text(of: expression, above: .comparison)
    }

    /// Writes an expression as operand of an operator that binds at least as tightly as `minimum`.
    static func text(of expression: NSExpression, above minimum: Precedence) -> String {
        let (text, precedence) = parts(of: expression)
        return precedence < minimum ? "(\(text))" : text
    }

    private static func parts(of expression: NSExpression) -> (String, Precedence) {
        switch expression.node {
        case .constant(let value): return ConstantPrinter.parts(of: value)
        case .evaluatedObject: return ("SELF", .postfix)
        case .variable(let name): return ("$\(name)", .postfix)
        case .keyPath(let keys): return (text(ofKeys: keys), .postfix)
        case .path(let base, let keys):
            return ("\(text(of: base, above: .postfix)).\(text(ofKeys: keys))", .postfix)
        case .element(let base, let index):
            return ("\(text(of: base, above: .postfix))[\(text(of: index))]", .postfix)
        case .function(let name, let arguments): return call(name, arguments)
        case .selector(let target, let name, let arguments):
            let all = [text(of: target), ConstantPrinter.quoted(name)] + arguments.map(text(of:))
            return ("FUNCTION(\(all.joined(separator: ", ")))", .postfix)
        case .aggregate(let elements):
            return ("{\(elements.map(text(of:)).joined(separator: ", "))}", .postfix)
        case .set(let operation, let left, let right):
            return infix(operation.rawValue, .sum, left, right)
        case .subquery(let collection, let variable, let predicate):
            let condition = PredicatePrinter.text(of: predicate)
            return ("SUBQUERY(\(text(of: collection)), $\(variable), \(condition))", .postfix)
        case .conditional(let predicate, let yes, let no):
            let condition = PredicatePrinter.text(of: predicate)
            return ("TERNARY(\(condition), \(text(of: yes)), \(text(of: no)))", .postfix)
        case .assignment(let name, let value): return ("($\(name) := \(text(of: value)))", .postfix)
        case .block(_, let arguments):
            return ("BLOCK(\(arguments.map(text(of:)).joined(separator: ", ")))", .postfix)
        }
    }

    private static func call(_ name: String, _ arguments: [NSExpression]) -> (String, Precedence) {
        switch name {
        case "add:to:" where arguments.count == 2:
            return infix("+", .sum, arguments[0], arguments[1])
        case "from:subtract:" where arguments.count == 2:
            return infix("-", .sum, arguments[0], arguments[1])
        case "multiply:by:" where arguments.count == 2:
            return infix("*", .product, arguments[0], arguments[1])
        case "divide:by:" where arguments.count == 2:
            return infix("/", .product, arguments[0], arguments[1])
        case "raise:toPower:" where arguments.count == 2:
            let base = text(of: arguments[0], above: .postfix)
            return ("\(base) ** \(text(of: arguments[1], above: .sign))", .power)
        case "castObject:toType:":
            return ("CAST(\(arguments.map(text(of:)).joined(separator: ", ")))", .postfix)
        default:
            let short = arguments.count < 2 ? name.replacing(":", with: "") : name
            let list = arguments.map(text(of:)).joined(separator: ", ")
            return ("\(short)(\(list))", .postfix)
        }
    }

    /// Operators of one level group from the left, so only the right side needs parentheses.
    private static func infix(
        _ sign: String, _ level: Precedence, _ left: NSExpression, _ right: NSExpression
    ) -> (String, Precedence) {
        let tighter = Precedence(rawValue: level.rawValue + 1) ?? .postfix
        let leftText = text(of: left, above: level)
        return ("\(leftText) \(sign) \(text(of: right, above: tighter))", level)
    }

    private static func text(of index: ExpressionNode.CollectionIndex) -> String {
        switch index {
        case .first: "FIRST"
        case .last: "LAST"
        case .size: "SIZE"
        case .at(let expression): text(of: expression)
        }
    }

    private static func text(ofKeys keys: [String]) -> String {
        let escaped = keys.enumerated().map { position, key in
            let isOperand = key == "self" && position > 0 && keys[position - 1].hasPrefix("@")
            return Keyword.reserved.contains(key.uppercased()) && !isOperand ? "#\(key)" : key
        }
        return escaped.joined(separator: ".")
    }
}
