import Foundation
import Glibc

/// Ends the process with a message where a test does not come back: nobody would be told otherwise,
/// and what blocks a thread for ever cannot be taken from it.
final class Watchdog: Sendable {
    private struct State {
        var what = ""
        var limit = Duration.zero
        var began = ContinuousClock.now
        var isOver = false
    }

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
        locked { $0 = State(what: what, limit: limit) }
    }

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
            let left = state.limit - (ContinuousClock.now - state.began)
            if state.limit > .zero, left <= .zero { end() }
            let wait = state.limit > .zero ? left / .seconds(1) : 3_600
            _ = condition.wait(until: Date(timeIntervalSinceNow: wait))
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
