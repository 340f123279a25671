/// The reason why a user's words do not fit a model, and a remedy.
///
/// Thrown by the readers of entities, sort keys and key paths; the caller adds the position in a
/// file or the name of an option.
package struct WordingError: Error, Sendable, Equatable {
    /// The problem.
    package let problem: String
    /// The remedy.
    package let advice: String

    init(_ problem: String, _ advice: String) {
        self.problem = problem
        self.advice = advice
    }

    /// Advises one of some names, or the removal if no name exists.
    init(_ problem: String, oneOf names: [String]) {
        self.init(
            problem,
            names.isEmpty ? "leave it out" : "write one of: \(names.joined(separator: ", "))")
    }
}
