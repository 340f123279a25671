import Testing

/// The statements of sections 7 to 16 that the engine does not fulfil yet, with the reasons.
///
/// A listed test that passes fails the run, so that its line is removed with the mending.
enum KnownFailures {
    /// By the names of the tests.
    static let reasons: [String: String] = [
        "the secure transformer refuses a class that is not allowed":
            "the save archives what the read refuses",
        "a deletion that would empty a required link deletes nothing":
            "no trigger guards required links",
        "store and memory agree about texts of all scripts":
            "the option n compares decomposed letters otherwise in the store",
        "orders are the same for pending and for saved objects":
            "caseInsensitiveCompare: has one order in the store and another in memory",
        "groups have aggregates and are chosen by them": "having takes no aggregates",
        "an abstract entity's fetch finds subentities, which predicates tell apart":
            "the store does not translate the key path entity",
        "another model needs the options": "the error is 134130 in place of 134140",
        "localised names stand in texts of validation":
            "texts of validation do not ask the localization dictionary",
        "a newer store is not opened by a model that does not know it":
            "the model in the store serves as the source of a migration back",
        "numbers become other numbers by inference, texts do not":
            "conversions of numbers are not inferred",
        "an R-tree index serves a box": "indexed:by: of an R-tree index is not translated",
        "nothing is tracked for no delegate, or one that only names titles":
            "any delegate turns tracking on",
        "a new object stands where a fetch would put it":
            "caseInsensitiveCompare: has one order in the store and another in memory",
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
