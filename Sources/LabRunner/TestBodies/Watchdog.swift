import CoreDataTrace
import Dispatch
import Foundation
import Glibc

/// Reports a test that exceeds its time limit, with the phase that did not end. A blocked thread
/// cannot be ended, so the watchdog then ends the process. The process continues only if the test
/// can end without the blocked thread.
///
/// Other tests may occupy all threads of Dispatch and of the Swift concurrency pool for longer than
/// the limit. Therefore the time of a test starts again when one of these threads is free.
final class Watchdog: Sendable {
    private let name: String
    private let condition = NSCondition()
    // Unchecked because `condition` guards it.
    private nonisolated(unsafe) var state = WatchdogState()
    // Unchecked because `condition` guards it.
    private nonisolated(unsafe) var onEnd: (@Sendable (String) -> Void)?

    init(_ name: String) {
        self.name = name
        let thread = Thread { [self] in watch() }
        thread.start()
    }

    func begin(_ what: String, limit: Duration) {
        locked { $0.begin(what, limit: limit, at: .now) }
    }

    /// Passes the phase that exceeds its limit to a function instead of ending the process.
    func tell(_ function: @escaping @Sendable (String) -> Void) {
        condition.lock()
        onEnd = function
        condition.unlock()
    }

    func rest() { locked { $0.rest() } }

    func stop() { locked { $0.stop() } }

    private func locked(_ body: (inout WatchdogState) -> Void) {
        condition.lock()
        defer { condition.unlock() }
        body(&state)
        condition.signal()
    }

    private func watch() {
        condition.lock()
        defer { condition.unlock() }
        while true {
            switch state.step(at: .now) {
            case .wait(let time):
                let seconds = time.map { max($0, .milliseconds(1)) / .seconds(1) } ?? 3_600
                _ = condition.wait(until: Date(timeIntervalSinceNow: seconds))
            case .ask(let question):
                DispatchQueue.global().async { [self] in
                    locked { $0.answer(question, at: .now) }
                }
            case .end(let what, let limit):
                state.rest()
                end("explored \(name): \(what) has not ended within \(limit)")
            case .stop: return
            }
        }
    }

    private func end(_ what: String) {
        if let onEnd { return onEnd(what) }
        StandardStream.log("\(what); the process ends here, because no other test could run\n")
        _exit(1)
    }
}

/// The state machine of a watchdog, which neither reads a clock nor waits. Only one thread at a
/// time uses it.
struct WatchdogState {
    /// The next action of a watchdog.
    enum Step: Equatable {
        /// Waits until this duration has passed or a phase changes. Nil waits only for a change.
        case wait(Duration?)
        /// Enqueues a block on Dispatch. The block must report this number.
        case ask(Int)
        /// Ends the process, because the phase has not ended within its limit.
        case end(String, Duration)
        case stop
    }

    /// Dispatch must run a block within this multiple of the limit.
    static let limitsForThreads = 4

    private var what = ""
    private var limit = Duration.zero
    private var deadline: ContinuousClock.Instant?
    private var questions = 0
    /// Whether a block was enqueued on Dispatch in the current phase, and whether it has run.
    private var (hasAsked, isAnswered) = (false, false)
    private var isOver = false

    mutating func begin(_ what: String, limit: Duration, at now: ContinuousClock.Instant) {
        (self.what, self.limit, deadline) = (what, limit, now + limit)
        (hasAsked, isAnswered) = (false, false)
    }

    mutating func rest() { deadline = nil }

    mutating func stop() { isOver = true }

    mutating func step(at now: ContinuousClock.Instant) -> Step {
        if isOver { return .stop }
        guard let deadline else { return .wait(nil) }
        if now < deadline { return .wait(deadline - now) }
        if hasAsked { return .end(what, limit) }
        hasAsked = true
        questions += 1
        self.deadline = now + limit * Self.limitsForThreads
        return .ask(questions)
    }

    /// Records that a block has run on Dispatch. The phase then has its whole limit again.
    mutating func answer(_ question: Int, at now: ContinuousClock.Instant) {
        guard question == questions, hasAsked, !isAnswered, deadline != nil else { return }
        isAnswered = true
        deadline = now + limit
    }
}
