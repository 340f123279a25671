/// Runs what a test does on the main actor.
///
/// The plugin `CoreDataSources` calls it for test methods that are the actor's, for XCTest knows
/// none.
///
/// - Parameters:
///   - test: the test case.
///   - body: the method.
/// - Throws: what the body throws. Ends the process off the main thread, where XCTest runs none.
public func runOnMainActor<Test: AnyObject>(
    _ test: Test, _ body: @MainActor (Test) throws -> Void
) rethrows {
    // Unchecked because the caller waits, on the actor's own thread.
    nonisolated(unsafe) let test = test
    try MainActor.assumeIsolated { try body(test) }
}
