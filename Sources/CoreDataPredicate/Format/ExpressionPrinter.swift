import Foundation

enum ExpressionPrinter {
    /// The precedence of an operator. Operands with a lower one are printed in parentheses.
    enum Precedence: Int, Comparable {
        case comparison, sum, product, sign, power, postfix

        static func < (left: Precedence, right: Precedence) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// The pieces of an operand, in parentheses if its precedence is lower than `minimum`.
    static func pieces(of expression: NSExpression, above minimum: Precedence) -> [PrintPiece] {
        let (pieces, precedence) = parts(of: expression)
        return precedence < minimum ? [.text("(")] + pieces + [.text(")")] : pieces
    }

    private static func parts(of expression: NSExpression) -> ([PrintPiece], Precedence) {
        switch expression.node {
        case .constant(let value):
            let (text, precedence) = ConstantPrinter.parts(of: value)
            return ([.text(text)], precedence)
        case .evaluatedObject: return ([.text("SELF")], .postfix)
        case .anyKey: return ([.text("ANYKEY")], .postfix)
        case .variable(let name): return ([.text("$\(name)")], .postfix)
        case .keyPath(let keys): return ([.text(text(ofKeys: keys))], .postfix)
        case .path(let base, let keys):
            return (
                [.expression(base, above: .postfix), .text(".\(text(ofKeys: keys))")], .postfix
            )
        case .element(let base, let index):
            return (
                [.expression(base, above: .postfix), .text("["), piece(of: index), .text("]")],
                .postfix
            )
        case .function(let name, let arguments): return call(name, arguments)
        case .selector(let target, let name, let arguments):
            let all = [whole(target), .text(ConstantPrinter.quoted(name))] + arguments.map(whole)
            return (list("FUNCTION(", all, ")"), .postfix)
        case .aggregate(let elements): return (list("{", elements.map(whole), "}"), .postfix)
        case .set(let operation, let left, let right):
            return infix(operation.rawValue, .sum, left, right)
        case .subquery(let collection, let variable, let predicate):
            let all = [whole(collection), .text("$\(variable)"), .predicate(predicate)]
            return (list("SUBQUERY(", all, ")"), .postfix)
        case .conditional(let predicate, let yes, let no):
            return (
                list("TERNARY(", [.predicate(predicate), whole(yes), whole(no)], ")"), .postfix
            )
        case .assignment(let name, let value):
            return ([.text("($\(name) := "), whole(value), .text(")")], .postfix)
        case .block(_, let arguments): return (list("BLOCK(", arguments.map(whole), ")"), .postfix)
        }
    }

    private static func whole(_ expression: NSExpression) -> PrintPiece {
        .expression(expression, above: .comparison)
    }

    private static func list(
        _ open: String, _ pieces: [PrintPiece], _ close: String
    ) -> [PrintPiece] {
        [.text(open)] + .joined(pieces, ", ") + [.text(close)]
    }

    private static func call(
        _ name: String, _ arguments: [NSExpression]
    ) -> ([PrintPiece], Precedence) {
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
            return (
                [
                    .expression(arguments[0], above: .postfix), .text(" ** "),
                    .expression(arguments[1], above: .sign),
                ], .power
            )
        case BuiltinFunction.fetchName:
            return (list("FETCH(", arguments.map(whole), ")"), .postfix)
        case "castObject:toType:" where isCast(arguments):
            return (list("CAST(", arguments.map(whole), ")"), .postfix)
        default:
            let short = arguments.count < 2 ? name.replacing(":", with: "") : name
            return (list("\(short)(", arguments.map(whole), ")"), .postfix)
        }
    }

    /// Whether the call can be printed as CAST, which accepts fewer arguments than the function.
    private static func isCast(_ arguments: [NSExpression]) -> Bool {
        guard arguments.count == 2, case .constant(let type as String) = arguments[1].node else {
            return false
        }
        return CastType(rawValue: type) != nil
    }

    /// Operators associate to the left, so only a right side of equal precedence needs parentheses.
    private static func infix(
        _ sign: String, _ level: Precedence, _ left: NSExpression, _ right: NSExpression
    ) -> ([PrintPiece], Precedence) {
        let tighter = Precedence(rawValue: level.rawValue + 1) ?? .postfix
        return (
            [
                .expression(left, above: level), .text(" \(sign) "),
                .expression(right, above: tighter),
            ], level
        )
    }

    private static func piece(of index: ExpressionNode.CollectionIndex) -> PrintPiece {
        switch index {
        case .first: .text("FIRST")
        case .last: .text("LAST")
        case .size: .text("SIZE")
        case .at(let expression): whole(expression)
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
