import Foundation
import Synchronization

/// Runs the attempts of a slice on several threads. It is for attacks whose attempts wait for other
/// processes.
package struct ParallelAttempts {
    private struct State {
        var next: Int
        var done = 0
        var slices: [Int: TortureSlice] = [:]
        var error: (any Error)?
    }

    package let jobs: Int

    package init(jobs: Int = ProcessInfo.processInfo.activeProcessorCount) {
        self.jobs = max(1, jobs)
    }

    /// Runs `body` once for each attempt, and combines the results in the order of the attempts.
    ///
    /// - Parameter progress: called on the caller's thread.
    /// - Throws: the first error of an attempt. No attempt begins after an error.
    package func run(
        _ attempts: Range<Int>, progress: (Int) -> Void,
        _ body: @escaping @Sendable (Int, inout TortureSlice) throws -> Void
    ) throws -> TortureSlice {
        let work = Work(attempts, body)
        let threads = min(jobs, attempts.count)
        for _ in 0..<threads { Thread { work.loop() }.start() }
        work.waitForAll(threads, progress)
        return try work.result()
    }

    private final class Work: Sendable {
        private let attempts: Range<Int>
        private let body: @Sendable (Int, inout TortureSlice) throws -> Void
        private let state: Mutex<State>
        private let ended = SignalCount()

        init(
            _ attempts: Range<Int>,
            _ body: @escaping @Sendable (Int, inout TortureSlice) throws -> Void
        ) {
            self.attempts = attempts
            self.body = body
            state = Mutex(State(next: attempts.lowerBound))
        }

        func loop() {
            while let attempt = take() {
                var slice = TortureSlice()
                let result = Result { try body(attempt, &slice) }
                state.withLock { state in
                    state.slices[attempt] = slice
                    state.done += 1
                    if case .failure(let error) = result { state.error = state.error ?? error }
                }
                ended.signal()
            }
            ended.signal()
        }

        private func take() -> Int? {
            state.withLock { state in
                guard state.error == nil, state.next < attempts.upperBound else { return nil }
                defer { state.next += 1 }
                return state.next
            }
        }

        /// Each thread signals once for each of its attempts, and once when it ends.
        func waitForAll(_ threads: Int, _ progress: (Int) -> Void) {
            var signals = 0
            while true {
                ended.wait()
                signals += 1
                let done = state.withLock { $0.done }
                progress(done)
                if signals == done + threads { return }
            }
        }

        func result() throws -> TortureSlice {
            try state.withLock { state in
                if let error = state.error { throw error }
                var whole = TortureSlice()
                for attempt in attempts {
                    guard let slice = state.slices[attempt] else { continue }
                    whole.counts.merge(slice.counts, uniquingKeysWith: +)
                    whole.failures += slice.failures
                }
                return whole
            }
        }
    }
}

/// A counting semaphore; unchecked because the condition's lock guards the count.
private final class SignalCount: @unchecked Sendable {
    private let condition = NSCondition()
    private var number = 0

    func signal() {
        condition.lock()
        number += 1
        condition.signal()
        condition.unlock()
    }

    func wait() {
        condition.lock()
        while number == 0 { condition.wait() }
        number -= 1
        condition.unlock()
    }
}
