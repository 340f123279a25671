import LabRunner
import Testing

/// Catches the expectations of Swift Testing that fail in a schedule, so that they are told once,
/// with the schedule. The lab finds it by its name.
struct IssueCatcher: ExpectationCatcher {
    static func run(
        _ body: () async throws -> Void, caught: @escaping @Sendable (String) -> Void
    ) async throws {
        // Outside of a test nobody would be told.
        guard let test = Test.current else { return try await body() }
        let trait: IssueHandlingTrait = .compactMapIssues { issue in
            caught(text(issue))
            return nil
        }
        try await withoutActuallyEscaping(body) { escaping in
            // Unchecked because the trait runs the body once, before it returns.
            nonisolated(unsafe) let body = escaping
            try await trait.provideScope(for: test, testCase: Test.Case.current) {
                try await body()
            }
        }
    }

    static var testName: String? { Test.current?.name }

    private static func text(_ issue: Issue) -> String {
        let place = issue.sourceLocation.map { "\($0.fileName):\($0.line): " } ?? ""
        let comments = issue.comments.map { " (\($0.rawValue))" }.joined()
        return "\(place)\(issue)\(comments)"
    }
}
