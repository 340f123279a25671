/// The error for an invalid predicate format, with a remedy.
package struct PredicateFormatError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The position of the error: the index of the character in the format, from 1.
    package let column: Int
    package let problem: String
    package let advice: String

    package init(column: Int, problem: String, advice: String) {
        self.column = column
        self.problem = problem
        self.advice = advice
    }

    /// The problem and the remedy, without the column.
    package var message: String { "\(problem); \(advice)" }

    package var description: String { "column \(column): \(message)" }
}
