import Foundation

extension RunLoop {
    /// A condition for which a run loop can wait.
    public final class ResumeCondition {
        private let lock = NSLock()
        private var resolved = false

        public init() {}

        public var isResolved: Bool { lock.withLock { resolved } }

        public func resolve() { lock.withLock { resolved = true } }
    }

    /// Runs the run loop until the condition is met.
    public func run(until condition: ResumeCondition) {
        while !condition.isResolved { _ = run(mode: .default, before: Date() + 0.01) }
    }
}
