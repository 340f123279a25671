import LabRunner
import Synchronization
import Testing

/// Collects the expectations of Swift Testing that fail in a schedule, so that each is reported
/// once, with its schedule. The lab finds the type by its name.
package struct IssueCatcher: ExpectationCatcher {
    package static func run(
        _ body: () async throws -> Void, caught: @escaping @Sendable (String) -> Void
    ) async throws {
        try await handle(body) { issue in
            IssuePlaces.shared.note(text(issue), issue.sourceLocation)
            caught(text(issue))
            return nil
        }
    }

    /// Runs a body without suppressing its issues, and returns whether any were recorded.
    static func hasFailed(_ body: @Sendable () async throws -> Void) async throws -> Bool {
        let told = CollectedTexts()
        try await handle(body) { issue in
            told.add("")
            return issue
        }
        return !told.all.isEmpty
    }

    static func failures(
        of body: @Sendable () async throws -> Void
    ) async -> [String] {
        let told = CollectedTexts()
        do {
            try await run(body) { told.add($0) }
        } catch {
            told.add("the test threw \(error)")
        }
        return told.all
    }

    private static func handle(
        _ body: () async throws -> Void, _ handler: @escaping @Sendable (Issue) -> Issue?
    ) async throws {
        // Issues cannot be handled outside a test.
        guard let test = Test.current else { return try await body() }
        let trait: IssueHandlingTrait = .compactMapIssues(handler)
        try await withoutActuallyEscaping(body) { escaping in
            // Unchecked because the trait runs the body only once, before this call returns.
            nonisolated(unsafe) let body = escaping
            try await trait.provideScope(for: test, testCase: Test.Case.current) {
                try await body()
            }
        }
    }

    package static var testName: String? { Test.current?.name }

    private static func text(_ issue: Issue) -> String {
        let place = issue.sourceLocation.map { "\($0.fileName):\($0.line): " } ?? ""
        let comments = issue.comments.map { " (\($0.rawValue))" }.joined()
        return "\(place)\(issue)\(comments)"
    }
}

private final class CollectedTexts: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
}

/// The source positions of failed expectations, by their messages. A failure is reported at the
/// position of its first expectation.
final class IssuePlaces: Sendable {
    static let shared = IssuePlaces()

    private let places = Mutex<[String: SourceLocation]>([:])

    func note(_ text: String, _ place: SourceLocation?) {
        guard let place else { return }
        places.withLock { $0[text] = place }
    }

    /// The position of the first reason that has a known position.
    func place(of reasons: [String]) -> SourceLocation? {
        let known = places.withLock { $0 }
        for reason in reasons {
            for (text, place) in known where reason.hasSuffix(text) { return place }
        }
        return nil
    }
}
