import Foundation
import LabRunner
import Testing

/// Runs a test's body under many schedules of the contexts that it makes.
///
///     @Test(.explored) func `duplicates are merged`() async throws { … }
///
/// The body stays as it is: stacks that it makes live on queues of the lab's, and the blocks of its
/// contexts, its own code and its `await`s are interleaved. The first schedule that fails is told
/// with its token. A body that leans on threads of its own, or on the main actor, cannot be
/// explored: it runs once, as without the trait, and says so in a comment.
public struct ExploredTrait: TestTrait, SuiteTrait, TestScoping {
    /// How many schedules are drawn.
    let schedules: Int
    /// The seed of what is drawn.
    let seed: UInt64

    /// Tests of a suite have the suite's trait.
    public var isRecursive: Bool { true }

    /// Runs the test once for each schedule.
    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        // A suite is no test.
        guard testCase != nil else { return try await function() }
        var options = Lab.Options(strategy: .random, limit: schedules, seed: seed)
        options.patience = .seconds(2)
        let why: String
        do {
            try await withoutActuallyEscaping(function) { function in
                _ = try Lab.explore(test.name, options) { lab in
                    lab.session("test") { try await function() }
                }
            }
            return
        } catch let failure as CodeFailure {
            throw failure
        } catch {
            why = "\(error)"
        }
        FileHandle.standardError.write(Data("'\(test.name)' was not explored: \(why)\n".utf8))
        try await function()
    }
}

extension Trait where Self == ExploredTrait {
    /// A hundred schedules.
    public static var explored: Self { .explored() }

    /// So many schedules, drawn with a seed.
    public static func explored(schedules: Int = 100, seed: UInt64 = 1) -> Self {
        Self(schedules: schedules, seed: seed)
    }
}
