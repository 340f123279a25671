/// Why a predicate format is not one, and what to write instead.
package struct PredicateFormatError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Where it was noticed: the number of the character in the format, from 1.
    package let column: Int
    /// What is wrong.
    package let problem: String
    /// What to write instead.
    package let advice: String

    package init(column: Int, problem: String, advice: String) {
        self.column = column
        self.problem = problem
        self.advice = advice
    }

    /// What is wrong and what to write instead, without the column.
    package var message: String { "\(problem); \(advice)" }

    package var description: String { "column \(column): \(message)" }
}
