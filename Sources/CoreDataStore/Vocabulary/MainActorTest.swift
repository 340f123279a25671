/// Runs a test method on the main actor.
///
/// XCTest does not support test methods that are isolated to the main actor. The plugin
/// `CoreDataSources` generates a call of this function for such a method.
///
/// - Parameters:
///   - test: the test case.
///   - body: the method.
/// - Throws: the errors of the body. If the caller is not on the main thread, the process ends;
///   XCTest runs all tests on the main thread.
public func runOnMainActor<Test: AnyObject>(
    _ test: Test, _ body: @MainActor (Test) throws -> Void
) rethrows {
    // `nonisolated(unsafe)` because the caller waits, on the actor's own thread.
    nonisolated(unsafe) let test = test
    try MainActor.assumeIsolated { try body(test) }
}
