import CoreData
import CoreDataPredicate

/// Shrinks a predicate on which evaluators differ.
struct PredicateShrinker {
    private let judge: EvaluatorJudge

    init(_ judge: EvaluatorJudge) { self.judge = judge }

    func shrunk(_ predicate: NSPredicate) throws -> NSPredicate {
        var small = predicate
        while let next = try Self.smaller(small).first(where: {
            try judge.verdict($0).difference != nil
        }) { small = next }
        return small
    }

    /// Simpler predicates. Each of them lacks one subpredicate or one level of nesting.
    private static func smaller(_ predicate: NSPredicate) -> [NSPredicate] {
        if let compound = predicate as? NSCompoundPredicate {
            let parts = compound.subpredicates.compactMap { $0 as? NSPredicate }
            guard compound.compoundPredicateType != .not else {
                return parts
                    + parts.flatMap(smaller).map(
                        NSCompoundPredicate.init(notPredicateWithSubpredicate:))
            }
            return parts
                + parts.indices.flatMap { index in
                    smaller(parts[index]).map { part in
                        var changed = parts
                        changed[index] = part
                        return NSCompoundPredicate(
                            type: compound.compoundPredicateType, subpredicates: changed)
                    }
                }
        }
        guard let comparison = predicate as? NSComparisonPredicate else { return [] }
        let lefts = smaller(comparison.leftExpression)
            .map { Self.comparison(comparison, $0, comparison.rightExpression) }
        let rights = smaller(comparison.rightExpression)
            .map { Self.comparison(comparison, comparison.leftExpression, $0) }
        return lefts + rights
    }

    private static func comparison(
        _ comparison: NSComparisonPredicate, _ left: NSExpression, _ right: NSExpression
    ) -> NSPredicate {
        NSComparisonPredicate(
            leftExpression: left, rightExpression: right,
            modifier: comparison.comparisonPredicateModifier,
            type: comparison.predicateOperatorType, options: comparison.options)
    }

    private static func smaller(_ expression: NSExpression) -> [NSExpression] {
        guard case .function(_, let arguments) = expression.node else { return [] }
        return arguments
    }
}
