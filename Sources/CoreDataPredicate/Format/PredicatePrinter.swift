enum PredicatePrinter {
    static func pieces(of predicate: NSPredicate) -> [PrintPiece] {
        switch predicate.node {
        case .constant(let value): [.text(value ? "TRUEPREDICATE" : "FALSEPREDICATE")]
        case .comparison(let comparison): pieces(of: comparison)
        case .compound(let type, let parts): pieces(of: type, parts)
        case .block: [.text("BLOCKPREDICATE(\(ObjectIdentifier(predicate)))")]
        }
    }

    /// A compound inside another compound is printed in parentheses, which keep the grouping.
    static func nestedPieces(of predicate: NSPredicate) -> [PrintPiece] {
        guard case .compound(let type, let parts) = predicate.node else {
            return [.predicate(predicate)]
        }
        if parts.count == 1, type != .not { return [.nested(parts[0])] }
        return type == .not || parts.isEmpty
            ? [.predicate(predicate)] : [.text("("), .predicate(predicate), .text(")")]
    }

    private static func pieces(of comparison: Comparison) -> [PrintPiece] {
        let quantifier =
            switch comparison.modifier {
            case .direct: ""
            case .all: "ALL "
            case .any: "ANY "
            }
        return [
            .text(quantifier), .expression(comparison.left, above: .comparison),
            .text(" \(operatorText(comparison)) "),
            .expression(comparison.right, above: .comparison),
        ]
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

    private static func pieces(
        of type: NSCompoundPredicate.LogicalType, _ parts: [NSPredicate]
    ) -> [PrintPiece] {
        switch (type, parts.count) {
        case (.not, _): return [.text("NOT ")] + parts.map { .nested($0) }
        case (.and, 0): return [.text("TRUEPREDICATE")]
        case (.or, 0): return [.text("FALSEPREDICATE")]
        case (_, 1): return [.predicate(parts[0])]
        default: return .joined(parts.map { .nested($0) }, type == .and ? " AND " : " OR ")
        }
    }
}
