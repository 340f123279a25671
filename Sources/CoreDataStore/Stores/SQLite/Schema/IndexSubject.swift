import CoreDataModel
import CoreDataPredicate
import CoreDataSQL
import CoreDataTrace

/// The SQL of an index element: a column or an expression.
struct IndexSubject {
    private let entity: EntityLayout

    init(_ entity: EntityLayout) { self.entity = entity }

    /// A column, or an expression of columns. Nil if the expression calls a function that is not
    /// built into SQLite, because other programs could then not write to the file. The index then
    /// lacks the element, which does not affect results, and a line is logged.
    func text(of subject: IndexLayout.Element.Subject) -> String? {
        switch subject {
        case .slot(let slot): return entity.values[slot].column
        case .expression(let expression):
            if let text = text(of: expression) { return "(\(text))" }
            EngineLog.errorOnce(
                "the expression \(expression) of an index of \(entity.name) has other parts than"
                    + " attributes, constants and arithmetic; the index omits it.")
            return nil
        }
    }

    private static let signs = [
        "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/",
        "modulus:by:": "%", "bitwiseAnd:with:": "&", "bitwiseOr:with:": "|",
        "leftshift:by:": "<<", "rightshift:by:": ">>",
    ]

    private func text(of expression: NSExpression) -> String? {
        switch expression.node {
        case .evaluatedObject: return "Z_PK"
        case .keyPath(let keys):
            guard keys.count == 1, let slot = entity.valueSlot(named: keys[0]) else { return nil }
            return entity.values[slot].column
        case .constant: return constant(expression)
        case .function(let name, let arguments):
            let parts = arguments.compactMap(text(of:))
            guard parts.count == arguments.count else { return nil }
            if let sign = Self.signs[name], parts.count == 2 {
                return "(\(parts[0]) \(sign) \(parts[1]))"
            }
            switch name {
            case "abs:": return "abs(\(parts[0]))"
            case "length:": return "length(\(parts[0]))"
            case "onesComplement:": return "(~\(parts[0]))"
            default: return nil
            }
        default: return nil
        }
    }

    private func constant(_ expression: NSExpression) -> String? {
        switch expression.constantOperand {
        case .integer(let number)?: return "\(number)"
        case .double(let number)?: return number.isFinite ? "\(number)" : nil
        case .decimal(let number)?: return "\(number)"
        case .string(let text)? where !text.contains("\0"):
            return text.sqlLiteral
        default: return nil
        }
    }
}
