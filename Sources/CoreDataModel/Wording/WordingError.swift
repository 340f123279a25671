/// The reason why a name or a sort key of a user does not fit a model, and a remedy.
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

    /// Advises to write one of the valid names, or to leave the name out if no valid name exists.
    init(_ problem: String, oneOf names: [String]) {
        self.init(
            problem,
            names.isEmpty ? "leave it out" : "write one of: \(names.joined(separator: ", "))")
    }
}
