// Writes predicates as formats that parse back to equal predicates. `predicateFormat` calls it.

/// Writes predicates.
enum PredicatePrinter {
    static func text(of predicate: NSPredicate) -> String {
        switch predicate.node {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): text(of: comparison)
        case .compound(let type, let parts): text(of: type, parts)
        case .block: "BLOCKPREDICATE(\(ObjectIdentifier(predicate)))"
        }
    }

    private static func text(of comparison: Comparison) -> String {
        let quantifier =
            switch comparison.modifier {
            case .direct: ""
            case .all: "ALL "
            case .any: "ANY "
            }
        let left = ExpressionPrinter.text(of: comparison.left, above: .comparison)
        let right = ExpressionPrinter.text(of: comparison.right, above: .comparison)
        return "\(quantifier)\(left) \(operatorText(comparison)) \(right)"
    }

    private static func operatorText(_ comparison: Comparison) -> String {
        let text =
            switch comparison.operator {
            case .lessThan: "<"
            case .lessThanOrEqualTo: "<="
            case .greaterThan: ">"
            case .greaterThanOrEqualTo: ">="
            case .equalTo: "=="
            case .notEqualTo: "!="
            case .matches: "MATCHES"
            case .like: "LIKE"
            case .beginsWith: "BEGINSWITH"
            case .endsWith: "ENDSWITH"
            case .in: "IN"
            case .contains: "CONTAINS"
            case .between: "BETWEEN"
            case .customSelector: comparison.selector?.name ?? ""
            }
        let letters: [(NSComparisonPredicate.Options, String)] = [
            (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"),
            (.localeSensitive, "l"),
        ]
        let options = letters.filter { comparison.options.contains($0.0) }.map(\.1).joined()
        return options.isEmpty ? text : "\(text)[\(options)]"
    }

    private static func text(
        of type: NSCompoundPredicate.LogicalType, _ parts: [NSPredicate]
    ) -> String {
        switch (type, parts.count) {
        case (.not, _): return "NOT " + parts.map(nested).joined()
        case (.and, 0): return "TRUEPREDICATE"
        case (.or, 0): return "FALSEPREDICATE"
        case (_, 1): return text(of: parts[0])
        default:
            return parts.map(nested).joined(separator: type == .and ? " AND " : " OR ")
        }
    }

    /// A compound inside another stands in parentheses, so that the grouping survives.
    private static func nested(_ predicate: NSPredicate) -> String {
        guard case .compound(let type, let parts) = predicate.node else {
            return text(of: predicate)
        }
        if parts.count == 1, type != .not { return nested(parts[0]) }
        return type == .not || parts.isEmpty ? text(of: predicate) : "(\(text(of: predicate)))"
    }
}
