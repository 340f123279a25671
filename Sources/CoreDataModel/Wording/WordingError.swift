/// Why words of a user's do not fit a model, and what to write instead.
///
/// Thrown where entities, sort keys and key paths are read; who asks adds the place in a file or
/// the name of an option.
package struct WordingError: Error, Sendable, Equatable {
    /// What is wrong.
    package let problem: String
    /// What to write instead.
    package let advice: String

    init(_ problem: String, _ advice: String) {
        self.problem = problem
        self.advice = advice
    }

    /// Advises one of some names, or to write nothing where there is none.
    init(_ problem: String, oneOf names: [String]) {
        self.init(
            problem,
            names.isEmpty ? "leave it out" : "write one of: \(names.joined(separator: ", "))")
    }
}
