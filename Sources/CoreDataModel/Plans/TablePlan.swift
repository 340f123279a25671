import CoreDataPredicate

/// The settings of a dictionary fetch that its ``FetchPlan`` lacks: columns, groups, and the
/// condition for groups.
package struct TablePlan: Sendable {
    /// A column of the fetch. It becomes one entry of each dictionary.
    package struct Column: Sendable {
        package let name: String
        package let expression: NSExpression
        /// The kind to which the value is converted. If nil, the computed value is unchanged.
        package let kind: ValueKind?

        package init(name: String, expression: NSExpression, kind: ValueKind?) {
            self.name = name
            self.expression = expression
            self.kind = kind
        }

        private static let aggregates: Set = ["count:", "sum:", "average:", "min:", "max:"]

        /// The aggregate function of the column and its argument. Nil if the column is not an
        /// aggregate.
        package var aggregate: (name: String, argument: NSExpression)? {
            Self.aggregate(of: expression)
        }

        /// The aggregate function of an expression and its argument. Nil if the expression is not
        /// an aggregate.
        package static func aggregate(
            of expression: NSExpression
        ) -> (name: String, argument: NSExpression)? {
            guard case .function(let name, let arguments) = expression.node,
                aggregates.contains(name), let argument = arguments.first
            else { return nil }
            if case .subquery = argument.node { return nil }
            return (name, argument)
        }
    }

    package var columns: [Column]
    /// The expressions by which rows are grouped. A variable refers to the column with its name.
    package var groups: [NSExpression] = []
    /// The condition that a group must meet to be returned. A variable refers to the column with
    /// its name.
    package var having: NSPredicate?
    package var isDistinct = false

    package init(columns: [Column]) { self.columns = columns }
}
