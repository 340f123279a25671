/// The error for a name or a sort key of a user that does not fit a model, with a remedy.
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

    /// A remedy that lists the valid names, or that advises to omit the name if no valid name
    /// exists.
    init(_ problem: String, oneOf names: [String]) {
        self.init(
            problem,
            names.isEmpty ? "leave it out" : "write one of: \(names.joined(separator: ", "))")
    }
}
