/// One problem in a scenario file.
package struct ScenarioProblem: Sendable, Hashable, CustomStringConvertible {
    package let file: String
    package let position: SourcePosition
    package let what: String
    package let instead: String

    package init(file: String, position: SourcePosition, what: String, instead: String) {
        self.file = file
        self.position = position
        self.what = what
        self.instead = instead
    }

    package var description: String {
        "\(file):\(position.line):\(position.column): \(what); \(instead)"
    }
}

/// All problems in a scenario file, in the order of the file.
public struct ScenarioProblems: Error, Sendable, CustomStringConvertible {
    package let problems: [ScenarioProblem]

    package init(_ problems: [ScenarioProblem]) {
        self.problems = problems
    }

    /// One line for each problem: file, line, column, problem and remedy.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

/// Collects problems while a file is read, so that all of them are reported together.
package final class ProblemList {
    package let file: String
    package private(set) var problems: [ScenarioProblem] = []

    package init(file: String) {
        self.file = file
    }

    package var isEmpty: Bool { problems.isEmpty }

    package func add(_ what: String, at position: SourcePosition, instead: String) {
        let problem = ScenarioProblem(file: file, position: position, what: what, instead: instead)
        if !problems.contains(problem) { problems.append(problem) }
    }

    package func throwIfAny() throws(ScenarioProblems) {
        guard !problems.isEmpty else { return }
        throw ScenarioProblems(problems.sorted { $0.position < $1.position })
    }
}
