/// Calls of what the main actor runs, with values that nobody else has.
enum MainActorCall {
    // `@unchecked Sendable` because the values stay on the thread that has them.
    private struct Values<A, B>: @unchecked Sendable {
        let first: A
        let second: B
    }

    /// Runs the body; traps on any other thread than the main one.
    static func run<A, B>(_ first: A, _ second: B, _ body: @MainActor (A, B) -> Void) {
        let values = Values(first: first, second: second)
        MainActor.assumeIsolated { body(values.first, values.second) }
    }
}
