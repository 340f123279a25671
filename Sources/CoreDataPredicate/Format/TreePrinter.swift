/// A piece of printed output: text, or a subtree that is not printed yet.
enum PrintPiece {
    case text(String)
    case predicate(NSPredicate)
    /// A predicate that is printed in parentheses if it is a compound, because they keep the
    /// grouping.
    case nested(NSPredicate)
    /// An operand that is printed in parentheses if its precedence is lower than `above`.
    case expression(NSExpression, above: ExpressionPrinter.Precedence)
}

/// Prints trees of any depth without recursion.
enum TreePrinter {
    static func text(of predicate: NSPredicate) -> String { text([.predicate(predicate)]) }

    static func text(of expression: NSExpression) -> String {
        text([.expression(expression, above: .comparison)])
    }

    private static func text(_ pieces: [PrintPiece]) -> String {
        var text = ""
        var todo = pieces
        while let piece = todo.popLast() {
            switch piece {
            case .text(let words): text += words
            case .predicate(let predicate):
                todo += PredicatePrinter.pieces(of: predicate).reversed()
            case .nested(let predicate):
                todo += PredicatePrinter.nestedPieces(of: predicate).reversed()
            case .expression(let expression, let minimum):
                todo += ExpressionPrinter.pieces(of: expression, above: minimum).reversed()
            }
        }
        return text
    }
}

extension [PrintPiece] {
    static func joined(_ pieces: [PrintPiece], _ separator: String) -> [PrintPiece] {
        var result: [PrintPiece] = []
        for (index, piece) in pieces.enumerated() {
            if index > 0 { result.append(.text(separator)) }
            result.append(piece)
        }
        return result
    }
}
