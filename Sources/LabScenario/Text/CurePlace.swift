/// The position of a cure in its file, for messages about problems in the cure.
struct CurePlace: Sendable {
    let name: Located<String>
    let lastLine: Int

    func contains(_ position: SourcePosition) -> Bool {
        (name.position.line...max(name.position.line, lastLine)).contains(position.line)
    }
}

extension Tree {
    var lastLine: Int {
        switch content {
        case .scalar(let scalar): scalar.origin.positions.last?.line ?? position.line
        case .list(let list): list.map(\.lastLine).max() ?? position.line
        case .map(let entries):
            entries.map { max($0.key.position.line, $0.value.lastLine) }.max() ?? position.line
        }
    }
}

extension ProblemList {
    /// Adds the problems of a cure, with the name of the cure. Some problems are in another part of
    /// the scenario, which the cure makes invalid. They are reported at the position of the cure.
    func add(_ others: ProblemList, of cure: CurePlace?) {
        guard let cure else { return add(others) }
        let name = cure.name.value
        for problem in others.problems where !problems.contains(problem) {
            let position = problem.position
            if cure.contains(position) {
                add(
                    "in the cure '\(name)': \(problem.what)", at: position,
                    instead: problem.instead)
            } else {
                add(
                    "with the cure '\(name)', line \(position.line) is wrong: \(problem.what)",
                    at: cure.name.position,
                    instead: "\(problem.instead), or change the cure, which replaces whole sessions"
                        + " and lists")
            }
        }
    }

    private func add(_ others: ProblemList) {
        for problem in others.problems {
            add(problem.what, at: problem.position, instead: problem.instead)
        }
    }
}
