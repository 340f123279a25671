import Testing

struct Violation: Hashable, CustomStringConvertible {
    let path: String
    /// The line, counted from 1.
    let line: Int
    let rule: String
    let fix: String

    var description: String { "\(path):\(line): \(rule): \(fix)" }
}

extension SourceFile {
    func violation(_ index: Int, _ rule: String, _ fix: String) -> Violation {
        Violation(path: path, line: index + 1, rule: rule, fix: fix)
    }
}

/// Prints one line for each violation that no exception permits.
func expectNone(
    _ violations: [Violation], sourceLocation: SourceLocation = #_sourceLocation
) {
    let left = violations.filter { violation in
        !Exceptions.all.contains { $0.rule == violation.rule && $0.path == violation.path }
    }
    let text = left.map(\.description).joined(separator: "\n")
    #expect(left.isEmpty, Comment(rawValue: "\n" + text), sourceLocation: sourceLocation)
}
