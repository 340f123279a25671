import Dispatch
import Foundation
import Glibc

/// Ends the process with a message where a test does not come back: nobody would be told otherwise,
/// and what blocks a thread for ever cannot be taken from it.
///
/// Other tests may have all threads of Dispatch's for longer than the limit, and the pool's are
/// among them. So a test gets its time once more when one of them is free.
final class Watchdog: Sendable {
    private struct State {
        var what = ""
        var limit = Duration.zero
        /// Nil where nothing is awaited.
        var deadline: ContinuousClock.Instant?
        var hasAsked = false
        var isOver = false
    }

    /// How many times the limit Dispatch has to run something at all.
    private static let limitsForThreads = 4

    private let name: String
    private let condition = NSCondition()
    // Unchecked because `condition` guards it.
    private nonisolated(unsafe) var state = State()

    /// - Parameter name: of the test.
    init(_ name: String) {
        self.name = name
        let thread = Thread { [self] in watch() }
        thread.start()
    }

    /// Something begins that is to end within a limit.
    func begin(_ what: String, limit: Duration) {
        locked { $0 = State(what: what, limit: limit, deadline: .now + limit) }
    }

    /// It has ended; what comes next waits for a thread.
    func rest() { locked { $0.deadline = nil } }

    /// All has ended.
    func stop() { locked { $0.isOver = true } }

    private func locked(_ body: (inout State) -> Void) {
        condition.lock()
        defer { condition.unlock() }
        body(&state)
        condition.signal()
    }

    private func watch() {
        condition.lock()
        defer { condition.unlock() }
        while !state.isOver {
            let left = state.deadline.map { $0 - .now }
            if let left, left <= .zero { askOrEnd() }
            let wait = left.map { max($0, .milliseconds(1)) / .seconds(1) } ?? 3_600
            _ = condition.wait(until: Date(timeIntervalSinceNow: wait))
        }
    }

    /// Asks for a thread, and ends the process where that was done before; under the lock.
    private func askOrEnd() {
        if state.hasAsked { end() }
        state.hasAsked = true
        let asked = ContinuousClock.now + state.limit * Self.limitsForThreads
        state.deadline = asked
        DispatchQueue.global().async { [self] in
            locked { if $0.deadline == asked { $0.deadline = .now + $0.limit } }
        }
    }

    private func end() -> Never {
        let text =
            "explored \(name): \(state.what) has not ended within \(state.limit); the process ends"
            + " here, since nothing could follow\n"
        FileHandle.standardError.write(Data(text.utf8))
        _exit(1)
    }
}
