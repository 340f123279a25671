import LabRunner
import Testing

/// Runs a test's body under many schedules of the contexts that it creates.
///
///     @Test(.explored) func `duplicates are merged`() async throws { … }
///     @Suite(.explored(schedules: 200, seed: 1)) struct ImportTests { … }
///
/// The body needs no change, and each schedule begins with a new instance of the suite. The lab
/// controls the queues of the Core Data stacks that the test creates. It interleaves the test's
/// code, its tasks, the blocks of its contexts and the merges between the contexts. If other
/// threads use a stack, the body runs on real threads with seeded delays instead, and a note
/// reports this. A schedule that fails is reported once, with the line that replays it.
public struct ExploredTrait: TestTrait, SuiteTrait, TestScoping {
    /// Whether the lab or the system orders the threads of a test.
    public enum Mode: Sendable {
        /// The lab orders the threads, if it controls all of them.
        case controlled
        /// The system orders the threads, with seeded delays at the points where the lab would
        /// switch.
        case perturbed
    }

    let options: TestOptions

    /// Tests of a suite inherit the suite's trait.
    public var isRecursive: Bool { true }

    /// Runs the test once without a schedule, and then once for each schedule.
    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        // The trait of a suite is applied to its tests, not to the suite itself.
        guard testCase != nil else { return try await function() }
        let verdict = try await withoutActuallyEscaping(function) { function in
            try await AsyncTest(name(test), options).explore(
                first: { try await IssueCatcher.hasFailed(function) }, attempt: function,
                caught: { await IssueCatcher.failures(of: $0) })
        }
        verdict.tell()
        guard let failure = verdict.failure else { return }
        Issue.record(
            Comment(rawValue: "\(failure)"),
            sourceLocation: IssuePlaces.shared.place(of: failure.reasons) ?? test.sourceLocation)
    }

    /// The name as `Suite.test`, without the characters that a token cannot contain.
    private func name(_ test: Test) -> String {
        let words = test.name.split(separator: "(").first.map(String.init) ?? test.name
        return words.replacing("`", with: "").replacing("@", with: " ")
    }
}

extension Trait where Self == ExploredTrait {
    /// Runs at most a hundred schedules.
    public static var explored: Self { .explored() }

    /// Runs a number of schedules, drawn with a seed.
    ///
    /// - Parameters:
    ///   - schedules: the maximum number of schedules. If the test has only one thread, it runs
    ///     only once.
    ///   - seed: the seed with which the schedules are drawn. The same seed draws the same
    ///     schedules.
    ///   - mode: whether the lab or the system orders the threads.
    public static func explored(
        schedules: Int = 100, seed: UInt64 = 1, mode: ExploredTrait.Mode = .controlled
    ) -> Self {
        Self(
            options: TestOptions(
                schedules: schedules, seed: seed,
                mode: mode == .perturbed ? .perturbed : .automatic))
    }
}
