import CoreDataModel
import CoreDataPredicate

/// What a fetch of dictionaries asks for beside its ``FetchPlan``: columns, groups, and which
/// groups to return.
package struct TablePlan: Sendable {
    /// One entry of each dictionary.
    package struct Column: Sendable {
        /// The key in the dictionary.
        package let name: String
        package let expression: NSExpression
        /// What a value is turned into; nil leaves it as the store computes it.
        package let kind: ValueKind?

        package init(name: String, expression: NSExpression, kind: ValueKind?) {
            self.name = name
            self.expression = expression
            self.kind = kind
        }

        private static let aggregates: Set = ["count:", "sum:", "average:", "min:", "max:"]

        /// The function and its argument, where the column is computed of many rows.
        var aggregate: (name: String, argument: NSExpression)? { Self.aggregate(of: expression) }

        /// The function and its argument, where an expression is computed of many rows.
        static func aggregate(
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
    /// Expressions that rows of one group have in common; a variable names a column.
    package var groups: [NSExpression] = []
    /// Which groups to return; variables name columns.
    package var having: NSPredicate?
    /// Whether equal rows are returned once.
    package var isDistinct = false

    package init(columns: [Column]) { self.columns = columns }
}

/// Rows of a table, one value for each column, row after row.
package struct FetchedTable: Sendable {
    /// What the values of each column are, as a dictionary shows them.
    package let kinds: [ValueKind]
    package var values: ContiguousArray<Value> = []

    package init(kinds: [ValueKind]) { self.kinds = kinds }

    private var width: Int { kinds.count }

    package var count: Int { width == 0 ? 0 : values.count / width }

    package subscript(row: Int, column: Int) -> Value { values[row * width + column] }
}
