import LabResults
import Synchronization

/// One line on standard error that is written over and over; nothing in a pipe.
final class ProgressLine: Sendable {
    private struct State {
        var estimate = Estimate()
        var last = ProgressUpdate("", completed: 0, total: nil)
        var written = ContinuousClock.now - .seconds(1)
        var isShown = false
    }

    private let state = Mutex(State())
    private let isOn: Bool

    init(isOn: Bool = Console.isWatched) { self.isOn = isOn }

    /// What long work calls.
    var sink: ProgressSink { sink("") }

    /// What a part of long work calls; the part's name stands in front.
    func sink(_ part: String) -> ProgressSink {
        guard isOn else { return { _ in } }
        return { update in
            var update = update
            update.label = part + update.label
            self.show(update)
        }
    }

    /// Removes the line, so that results stand alone.
    func finish() {
        guard isOn else { return }
        state.withLock { state in
            if state.isShown { Console.draw("\r\u{1B}[K") }
            state.isShown = false
        }
    }

    private func show(_ update: ProgressUpdate) {
        state.withLock { state in
            let now = ContinuousClock.now
            state.estimate.note(update, after: state.last, at: now)
            let isNew = update.label != state.last.label
            state.last = update
            guard isNew || now - state.written >= .milliseconds(100) else { return }
            state.written = now
            state.isShown = true
            Console.draw("\r\u{1B}[K\(state.estimate.text(update, at: now))")
        }
    }
}

/// How long the rest takes, by the pace since the work began.
struct Estimate {
    private var began = ContinuousClock.now
    /// What was done when the pace began to be measured.
    private var base = 0

    init() {}

    /// Starts anew where a count does: at other work, or at the same work again.
    mutating func note(
        _ update: ProgressUpdate, after last: ProgressUpdate, at now: ContinuousClock.Instant
    ) {
        let isOther = update.label != last.label && update.completed <= last.completed
        guard isOther || update.total != last.total || update.completed < last.completed
        else { return }
        began = now
        base = update.completed
    }

    /// `explore mb-09  35/70  50 %  about 3 s left`.
    func text(_ update: ProgressUpdate, at now: ContinuousClock.Instant) -> String {
        guard let total = update.total, total > 0 else {
            return "\(update.label)  \(update.completed)"
        }
        let share = update.completed * 100 / total
        let text = "\(update.label)  \(update.completed)/\(total)  \(share) %"
        guard update.completed > base, update.completed < total else { return text }
        let left = (now - began) * (total - update.completed) / (update.completed - base)
        return left < .seconds(1) ? text : "\(text)  about \(left.components.seconds) s left"
    }
}
