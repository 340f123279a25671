import CoreDataTrace
import Dispatch
import Foundation
import Glibc

/// Ends the process with a message where a test does not come back: nothing else would report it,
/// and a thread that is blocked for ever cannot be taken from what blocks it.
///
/// Other tests may have all threads of Dispatch's for longer than the limit, and the pool's are
/// among them. So a test gets its time again when one of them is free.
final class Watchdog: Sendable {
    private let name: String
    private let condition = NSCondition()
    // Unchecked because `condition` guards it.
    private nonisolated(unsafe) var state = WatchdogState()

    /// - Parameter name: of the test.
    init(_ name: String) {
        self.name = name
        let thread = Thread { [self] in watch() }
        thread.start()
    }

    /// Something begins that is to end within a limit.
    func begin(_ what: String, limit: Duration) {
        locked { $0.begin(what, limit: limit, at: .now) }
    }

    /// It has ended; what comes next waits for a thread.
    func rest() { locked { $0.rest() } }

    /// All has ended.
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
            case .end(let what, let limit): end(what, limit)
            case .stop: return
            }
        }
    }

    private func end(_ what: String, _ limit: Duration) -> Never {
        let text =
            "explored \(name): \(what) has not ended within \(limit); the process ends here, since"
            + " nothing could follow\n"
        StandardStream.log(text)
        _exit(1)
    }
}

/// The rules of a watchdog, which neither look at a clock nor wait. One thread at a time uses it.
struct WatchdogState {
    /// What a watchdog does next.
    enum Step: Equatable {
        /// Waits for a time, and for a change; nil waits for a change only.
        case wait(Duration?)
        /// Asks Dispatch for a thread, which is to answer the question of this number.
        case ask(Int)
        /// Ends the process, because this has not ended within its limit.
        case end(String, Duration)
        case stop
    }

    /// How many times the limit Dispatch has to run something at all.
    static let limitsForThreads = 4

    private var what = ""
    private var limit = Duration.zero
    /// Nil where nothing is awaited.
    private var deadline: ContinuousClock.Instant?
    /// How many questions there have been.
    private var questions = 0
    /// For what has begun last: that a thread was asked for, and that there was one.
    private var (hasAsked, isAnswered) = (false, false)
    private var isOver = false

    mutating func begin(_ what: String, limit: Duration, at now: ContinuousClock.Instant) {
        (self.what, self.limit, deadline) = (what, limit, now + limit)
        (hasAsked, isAnswered) = (false, false)
    }

    mutating func rest() { deadline = nil }

    mutating func stop() { isOver = true }

    /// What to do at a time.
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

    /// Dispatch has had a thread for a question: from here on there is the whole limit once more.
    mutating func answer(_ question: Int, at now: ContinuousClock.Instant) {
        guard question == questions, hasAsked, !isAnswered, deadline != nil else { return }
        isAnswered = true
        deadline = now + limit
    }
}
