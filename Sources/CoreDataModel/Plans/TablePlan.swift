import CoreDataPredicate

/// The options of a fetch of dictionaries in addition to its ``FetchPlan``: columns, groups, and
/// the condition for groups.
package struct TablePlan: Sendable {
    /// A column of the fetch, which becomes one entry of each dictionary.
    package struct Column: Sendable {
        /// The key in the dictionary.
        package let name: String
        package let expression: NSExpression
        /// The kind that a value is converted to; nil leaves the computed value unchanged.
        package let kind: ValueKind?

        package init(name: String, expression: NSExpression, kind: ValueKind?) {
            self.name = name
            self.expression = expression
            self.kind = kind
        }

        private static let aggregates: Set = ["count:", "sum:", "average:", "min:", "max:"]

        /// The function and its argument, if the column is computed from many rows.
        package var aggregate: (name: String, argument: NSExpression)? {
            Self.aggregate(of: expression)
        }

        /// The function and its argument, if an expression is computed from many rows.
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
    /// The expressions by which rows are grouped. A variable in an expression names a column.
    package var groups: [NSExpression] = []
    /// The condition for groups to be returned; variables name columns.
    package var having: NSPredicate?
    /// Whether equal rows are returned once.
    package var isDistinct = false

    package init(columns: [Column]) { self.columns = columns }
}
