/// What a survey of a folder came to: how many models, stores or migrations pass, and the reasons
/// for which others do not.
package struct SurveyResult: Sendable, Equatable {
    /// A model version or a store that cannot be used.
    package struct Refusal: Sendable, Equatable {
        /// Below the folder of the survey.
        package let path: String
        package let reason: String
    }

    /// A model version that needs value transformers of a program.
    package struct Condition: Sendable, Equatable {
        /// Below the folder of the survey.
        package let path: String
        package let names: [String]
    }

    /// What was looked at: "model versions", "stores".
    package let subject: String
    /// What is said of those that pass.
    private let verdict: String
    package private(set) var usable: [String] = []
    package private(set) var refusals: [Refusal] = []
    /// The paths of usable ones whose values only a program's value transformers read, with the
    /// names of these.
    package private(set) var conditions: [Condition] = []

    init(subject: String, verdict: String = "are usable") {
        self.subject = subject
        self.verdict = verdict
    }

    package var count: Int { usable.count + refusals.count }
    package var isComplete: Bool { refusals.isEmpty }

    /// Notes one that is usable; once the transformers of these names are registered.
    mutating func note(_ path: String, lacking names: [String]) {
        usable.append(path)
        if !names.isEmpty { conditions.append(Condition(path: path, names: names)) }
    }

    mutating func note(_ path: String, _ reason: String?) {
        if let reason {
            refusals.append(Refusal(path: path, reason: reason))
        } else {
            usable.append(path)
        }
    }

    /// A line for each refusal and each condition, and the sum.
    package var text: String {
        let lines =
            conditions.map { condition in
                "\(condition.path): usable once \(condition.names.joined(separator: ", "))"
                    + " \(condition.names.count == 1 ? "is" : "are") registered"
            } + refusals.map { "\($0.path): \($0.reason)" }
        return (lines + [sum]).joined(separator: "\n") + "\n"
    }

    private var sum: String {
        let plain = "\(usable.count - conditions.count) of \(count) \(subject) \(verdict)"
        if conditions.isEmpty { return plain }
        let count = Set(conditions.flatMap(\.names)).count
        return plain
            + ", \(conditions.count) once \(count == 1 ? "a transformer is" : "transformers are")"
            + " registered"
    }
}

/// What was not as it should be; the text goes into a ``SurveyResult``.
struct SurveyProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
