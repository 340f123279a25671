/// The content of a predicate.
///
/// The evaluator, the printer, the rewriting functions and the translators of stores switch over
/// it.
package enum PredicateNode {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case constant(Bool)
    case comparison(Comparison)
    /// NOT has exactly one part.
    case compound(NSCompoundPredicate.LogicalType, [NSPredicate])
    /// A function, which can be evaluated only in memory.
    case block(NSPredicate.Block)
}

/// The two sides of a comparison and their operator.
package struct Comparison {
    package let left: NSExpression
    package let right: NSExpression
    package let `operator`: NSComparisonPredicate.Operator
    package let modifier: NSComparisonPredicate.Modifier
    package let options: NSComparisonPredicate.Options
    /// Set only if the operator is `customSelector`.
    package let selector: Selector?
    /// Data for the evaluation in memory, computed once from a constant right side.
    let prepared: PreparedOperand

    package init(
        left: NSExpression, right: NSExpression, operator: NSComparisonPredicate.Operator,
        modifier: NSComparisonPredicate.Modifier = .direct,
        options: NSComparisonPredicate.Options = [], selector: Selector? = nil
    ) {
        self.left = left
        self.right = right
        self.operator = `operator`
        self.modifier = modifier
        self.options = options
        self.selector = selector
        prepared = PreparedOperand(`operator`, right, options)
    }
}
