/// The content of a predicate, for all code that must distinguish its forms.
package enum PredicateNode {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case constant(Bool)
    case comparison(Comparison)
    /// NOT has exactly one part.
    case compound(NSCompoundPredicate.LogicalType, [NSPredicate])
    /// A function, which only the evaluation in memory can call.
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
    /// Data from a constant right side, computed once for the evaluation in memory.
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
