import Testing

/// The statements of sections 7 to 16 that the engine does not fulfil yet, with the reasons.
///
/// A listed test that passes fails the run, so that its line is removed with the mending.
enum KnownFailures {
    /// By the names of the tests.
    static let reasons: [String: String] = [
        "another model needs the options": "the error is 134130 in place of 134140",
        "an order that breaks sections, or none, is refused":
            "an empty list of sort descriptors is served",
    ]
}

/// Expects the listed tests of a suite to fail.
struct KnownFailuresTrait: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : self
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let name = test.name.filter { $0 != "`" && $0 != "(" && $0 != ")" }
        guard let reason = KnownFailures.reasons[name] else { return try await function() }
        await withKnownIssue(Comment(rawValue: reason)) { try await function() }
    }
}

extension Trait where Self == KnownFailuresTrait {
    /// Expects the tests that ``KnownFailures`` lists to fail.
    static var knownFailures: Self { Self() }
}
