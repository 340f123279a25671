/// What a survey of a folder came to: how many models or stores can be used, and why others cannot.
package struct SurveyResult: Sendable, Equatable {
    /// A model version or a store that cannot be used.
    package struct Refusal: Sendable, Equatable {
        /// Below the folder of the survey.
        package let path: String
        package let reason: String
    }

    /// What was looked at: "model versions", "stores".
    package let subject: String
    package private(set) var usable: [String] = []
    package private(set) var refusals: [Refusal] = []

    init(subject: String) { self.subject = subject }

    package var count: Int { usable.count + refusals.count }
    package var isComplete: Bool { refusals.isEmpty }

    mutating func note(_ path: String, _ reason: String?) {
        if let reason {
            refusals.append(Refusal(path: path, reason: reason))
        } else {
            usable.append(path)
        }
    }

    /// A line for each refusal, and the sum.
    package var text: String {
        let lines = refusals.map { "\($0.path): \($0.reason)" }
        let sum = "\(usable.count) of \(count) \(subject) are usable"
        return (lines + [sum]).joined(separator: "\n") + "\n"
    }
}

/// What was not as it should be; the text goes into a ``SurveyResult``.
struct SurveyProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
