import LabRunner
import Testing

/// Runs a test's body under many schedules of the contexts that it makes.
///
///     @Test(.explored) func `duplicates are merged`() async throws { … }
///     @Suite(.explored(schedules: 200, seed: 1)) struct ImportTests { … }
///
/// The body stays as it is, and each schedule begins with a fresh suite. Stacks that it makes live
/// on queues of the lab's; its own code, its tasks, the blocks of its contexts and the merges
/// between them are interleaved. Where other threads use a stack, the body runs on real threads
/// with seeded delays instead, and says so. A schedule that fails is told once, with the line that
/// replays it.
public struct ExploredTrait: TestTrait, SuiteTrait, TestScoping {
    /// What chooses the order of a test's threads.
    public enum Mode: Sendable {
        /// The lab, where all threads are in its hands.
        case controlled
        /// The system, with seeded delays at the places where the lab would switch.
        case perturbed
    }

    let options: TestOptions

    /// Tests of a suite have the suite's trait.
    public var isRecursive: Bool { true }

    /// Runs the test once as it is, and then once for each schedule.
    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        // A suite is no test.
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

    /// `Suite.test`, as far as tokens can have it.
    private func name(_ test: Test) -> String {
        let words = test.name.split(separator: "(").first.map(String.init) ?? test.name
        return words.replacing("`", with: "").replacing("@", with: " ")
    }
}

extension Trait where Self == ExploredTrait {
    /// A hundred schedules.
    public static var explored: Self { .explored() }

    /// So many schedules, drawn with a seed.
    ///
    /// - Parameters:
    ///   - schedules: the most; a test with one thread has one.
    ///   - seed: of what is drawn; the same seed draws the same schedules.
    ///   - mode: who chooses the order of the threads.
    public static func explored(
        schedules: Int = 100, seed: UInt64 = 1, mode: ExploredTrait.Mode = .controlled
    ) -> Self {
        Self(
            options: TestOptions(
                schedules: schedules, seed: seed,
                mode: mode == .perturbed ? .perturbed : .automatic))
    }
}
