/// The result of a survey of a folder: the models, stores or migrations that pass, and the reasons
/// why the others fail.
package struct SurveyResult: Sendable, Equatable {
    /// A model version or a store that cannot be used.
    package struct Refusal: Sendable, Equatable {
        /// The path, relative to the surveyed folder.
        package let path: String
        package let reason: String
    }

    /// A model version that needs certain value transformers.
    package struct Condition: Sendable, Equatable {
        /// The path, relative to the surveyed folder.
        package let path: String
        package let names: [String]
    }

    /// The subject of the summary sentence, such as `model versions` or `stores`.
    package let subject: String
    /// The end of the summary sentence, such as `are usable`.
    private let verdict: String
    package private(set) var usable: [String] = []
    package private(set) var refusals: [Refusal] = []
    /// The models or stores that need certain value transformers, with the names of these.
    package private(set) var conditions: [Condition] = []

    init(subject: String, verdict: String = "are usable") {
        self.subject = subject
        self.verdict = verdict
    }

    package var count: Int { usable.count + refusals.count }
    package var isComplete: Bool { refusals.isEmpty }

    /// Records a model or a store that is usable if these transformers are registered.
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

    /// A line for each refusal and each condition, and a summary line.
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

/// A failed check, as text for a ``SurveyResult``.
struct SurveyProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
