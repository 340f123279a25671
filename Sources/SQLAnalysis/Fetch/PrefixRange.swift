import CoreDataPredicate

/// Rewrites BEGINSWITH as a range, for which SQLite can use an index. Both find the same rows if
/// the stored strings are normalised.
enum PrefixRange {
    /// The maximum depth of a predicate that is rewritten, because each level is a recursive call.
    private static let depthMax: Int32 = 100

    /// The predicate with ranges instead of prefixes; nil if no prefix can be replaced.
    static func rewritten(_ predicate: NSPredicate) -> NSPredicate? {
        guard predicate.depth <= depthMax else { return nil }
        switch predicate.node {
        case .constant, .block: return nil
        case .comparison(let comparison): return range(comparison)
        case .compound(.not, _): return nil
        case .compound(let type, let parts):
            let changed = parts.map(rewritten)
            guard changed.contains(where: { $0 != nil }) else { return nil }
            return NSCompoundPredicate(type, zip(changed, parts).map { $0 ?? $1 })
        }
    }

    private static func range(_ comparison: Comparison) -> NSPredicate? {
        guard comparison.modifier == .direct, case .keyPath = comparison.left.node,
            comparison.options.isSubset(of: [.normalized]),
            case .constant(let value) = comparison.right.node, let text = value as? String,
            let prefix = prefix(text, comparison.operator), !prefix.isEmpty
        else { return nil }
        var bounds = [bound(comparison, .greaterThanOrEqualTo, prefix)]
        if let end = end(of: prefix) { bounds.append(bound(comparison, .lessThan, end)) }
        return bounds.count == 1 ? bounds[0] : NSCompoundPredicate(.and, bounds)
    }

    private static func bound(
        _ comparison: Comparison, _ type: NSComparisonPredicate.Operator, _ text: String
    ) -> NSPredicate {
        NSComparisonPredicate(
            comparison: Comparison(
                left: comparison.left, right: NSExpression(node: .constant(text)), operator: type))
    }

    /// The prefix that a condition requires: `A` for BEGINSWITH "A" and for LIKE "A*".
    private static func prefix(
        _ text: String, _ type: NSComparisonPredicate.Operator
    ) -> String? {
        if type == .beginsWith { return text }
        guard type == .like, text.hasSuffix("*") else { return nil }
        let prefix = text.dropLast()
        return prefix.contains { "*?\\".contains($0) } ? nil : String(prefix)
    }

    /// The first string after all strings with the prefix; nil if no such string exists.
    private static func end(of prefix: String) -> String? {
        var scalars = prefix.unicodeScalars
        while let last = scalars.popLast() {
            // No character has a code point from 0xD800 to 0xDFFF (surrogates).
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            return String(scalars)
        }
        return nil
    }
}
