/// Runs a test method on the main actor.
///
/// The plugin `CoreDataSources` generates calls of this function for test methods that are isolated
/// to the main actor, because XCTest does not support such methods.
///
/// - Parameters:
///   - test: the test case.
///   - body: the method.
/// - Throws: the errors of the body. The process ends if the caller is not on the main thread;
///   XCTest runs all tests on the main thread.
public func runOnMainActor<Test: AnyObject>(
    _ test: Test, _ body: @MainActor (Test) throws -> Void
) rethrows {
    // `nonisolated(unsafe)` because the caller waits, on the actor's own thread.
    nonisolated(unsafe) let test = test
    try MainActor.assumeIsolated { try body(test) }
}
