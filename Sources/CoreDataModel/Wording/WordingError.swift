/// The error for a name or a sort key of a user that does not fit a model, with a remedy.
///
/// The readers of entities, sort keys and key paths throw it. Their caller adds the position in a
/// file or the name of an option.
package struct WordingError: Error, Sendable, Equatable {
    package let problem: String
    package let advice: String

    init(_ problem: String, _ advice: String) {
        self.problem = problem
        self.advice = advice
    }

    /// Creates an error whose remedy lists the valid names. If no valid name exists, the remedy is
    /// to omit the name.
    init(_ problem: String, oneOf names: [String]) {
        self.init(
            problem,
            names.isEmpty ? "leave it out" : "write one of: \(names.joined(separator: ", "))")
    }
}
