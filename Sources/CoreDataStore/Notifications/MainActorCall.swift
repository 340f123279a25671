/// Calls main-actor code with values that no other thread uses.
enum MainActorCall {
    // `@unchecked Sendable` because the values stay on their thread.
    private struct Values<A, B>: @unchecked Sendable {
        let first: A
        let second: B
    }

    /// Runs the body; traps on any thread other than the main thread.
    static func run<A, B>(_ first: A, _ second: B, _ body: @MainActor (A, B) -> Void) {
        let values = Values(first: first, second: second)
        MainActor.assumeIsolated { body(values.first, values.second) }
    }
}
