import CoreDataModel
import CoreDataPredicate
import CoreDataSQL
import CoreDataTrace

/// Converts the predicate of a partial index to SQL without parameters and functions, which an
/// index cannot contain.
struct IndexCondition {
    private let entity: EntityLayout

    init(_ entity: EntityLayout) { self.entity = entity }

    /// The condition. Nil if the predicate does more than compare attributes with constants. The
    /// index then contains all rows, which does not affect results, and a line is logged.
    func text(of predicate: NSPredicate) -> String? {
        if let text = condition(predicate) { return text }
        EngineLog.errorOnce(
            "the predicate \(predicate) of a partial index of \(entity.name) compares more than"
                + " attributes with constants; the index covers all rows.")
        return nil
    }

    private func condition(_ predicate: NSPredicate) -> String? {
        switch predicate.node {
        case .constant(let flag): return flag ? "1" : "0"
        case .compound(let type, let parts):
            let texts = parts.compactMap(condition)
            guard texts.count == parts.count, !texts.isEmpty else { return nil }
            switch type {
            case .not: return "NOT (\(texts[0]))"
            case .and: return texts.map { "(\($0))" }.joined(separator: " AND ")
            case .or: return texts.map { "(\($0))" }.joined(separator: " OR ")
            }
        case .comparison(let comparison): return self.comparison(comparison)
        case .block: return nil
        }
    }

    private static let signs: [NSComparisonPredicate.Operator: String] = [
        .equalTo: "=", .notEqualTo: "<>", .lessThan: "<", .lessThanOrEqualTo: "<=",
        .greaterThan: ">", .greaterThanOrEqualTo: ">=",
    ]

    private func comparison(_ comparison: Comparison) -> String? {
        guard comparison.modifier == .direct, comparison.options.isEmpty,
            case .keyPath(let keys) = comparison.left.node, keys.count == 1,
            let slot = entity.valueSlot(named: keys[0]), let column = entity.values[slot].column,
            let operand = comparison.right.constantOperand,
            let sign = Self.signs[comparison.operator]
        else { return nil }
        switch operand {
        case .null:
            switch comparison.operator {
            case .equalTo: return "\(column) IS NULL"
            case .notEqualTo: return "\(column) NOT NULL"
            default: return nil
            }
        case .integer(let number): return "\(column) \(sign) \(number)"
        case .double(let number), .date(let number): return "\(column) \(sign) \(number)"
        case .decimal(let number): return "\(column) \(sign) \(number)"
        case .string(let text):
            return text.contains("\0") ? nil : "\(column) \(sign) \(text.sqlLiteral)"
        case .data, .uuid, .url, .collection, .object: return nil
        }
    }
}
