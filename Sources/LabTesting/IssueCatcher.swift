import LabRunner
import Synchronization
import Testing

/// Catches the expectations of Swift Testing that fail in a schedule, so that they are told once,
/// with the schedule. The lab finds it by its name.
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

    /// Runs a body whose issues are told, and says whether there were any.
    static func hasFailed(_ body: @Sendable () async throws -> Void) async throws -> Bool {
        let told = Told()
        try await handle(body) { issue in
            told.add("")
            return issue
        }
        return !told.all.isEmpty
    }

    /// Runs a body and returns the expectations that fail in it.
    static func failures(
        of body: @Sendable () async throws -> Void
    ) async -> [String] {
        let told = Told()
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
        // Outside of a test nobody would be told.
        guard let test = Test.current else { return try await body() }
        let trait: IssueHandlingTrait = .compactMapIssues(handler)
        try await withoutActuallyEscaping(body) { escaping in
            // Unchecked because the trait runs the body once, before it returns.
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

/// What is told while code runs, on whichever thread.
private final class Told: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
}

/// Where expectations have failed, by their texts: a failure is told at the place of its first.
final class IssuePlaces: Sendable {
    static let shared = IssuePlaces()

    private let places = Mutex<[String: SourceLocation]>([:])

    func note(_ text: String, _ place: SourceLocation?) {
        guard let place else { return }
        places.withLock { $0[text] = place }
    }

    /// Where the first of some reasons was told.
    func place(of reasons: [String]) -> SourceLocation? {
        let known = places.withLock { $0 }
        for reason in reasons {
            for (text, place) in known where reason.hasSuffix(text) { return place }
        }
        return nil
    }
}
