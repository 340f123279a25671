import LabFiles
import Synchronization

/// A progress line on standard error that is rewritten in place. Without a terminal, each long task
/// prints one line with its estimated time instead.
package final class ProgressLine: Sendable {
    /// One task. Several tasks may run at the same time.
    private struct Work {
        var estimate = Estimate()
        var last = ProgressUpdate("", completed: 0, total: nil)
        var wasReported = false
    }

    private struct State {
        var works: [String: Work] = [:]
        var label = ""
        var written = ContinuousClock.now - .seconds(1)
        var isShown = false
    }

    private let state = Mutex(State())
    private let isOn: Bool

    package init(isOn: Bool = Console.isWatched) { self.isOn = isOn }

    /// The function with which a long task reports its progress.
    package var sink: ProgressSink { sink("") }

    /// The function with which one part of a long task reports its progress. Its progress lines
    /// begin with the part's name.
    package func sink(_ part: String) -> ProgressSink {
        { update in
            var update = update
            update.label = part + update.label
            self.show(update)
        }
    }

    package func finish() {
        guard isOn else { return }
        state.withLock { state in
            if state.isShown { Console.redraw("") }
            state.isShown = false
        }
    }

    private func show(_ update: ProgressUpdate) {
        state.withLock { state in
            let now = ContinuousClock.now
            var work = state.works[update.label] ?? Work()
            work.estimate.note(update, after: work.last, at: now)
            work.last = update
            let text = work.estimate.text(update, at: now)
            if !isOn, !work.wasReported, work.estimate.isLong(update, at: now) {
                work.wasReported = true
                Console.note(text)
            }
            state.works[update.label] = work
            let isNew = update.label != state.label
            state.label = update.label
            guard isOn, isNew || now - state.written >= .milliseconds(100) else { return }
            state.written = now
            state.isShown = true
            Console.redraw(text)
        }
    }
}

/// Estimates the remaining time of a task from the average time of its steps.
package struct Estimate {
    private var began = ContinuousClock.now
    /// The number of steps that were complete when the measurement began.
    private var base = 0

    package init() {}

    /// Restarts the measurement if another task has begun, or if the total has changed or the count
    /// has decreased.
    package mutating func note(
        _ update: ProgressUpdate, after last: ProgressUpdate, at now: ContinuousClock.Instant
    ) {
        let isOther = update.label != last.label && update.completed <= last.completed
        guard isOther || update.total != last.total || update.completed < last.completed
        else { return }
        began = now
        base = update.completed
    }

    /// Whether the task has run for two seconds and will probably need at least three more.
    package func isLong(_ update: ProgressUpdate, at now: ContinuousClock.Instant) -> Bool {
        guard let total = update.total, now - began >= .seconds(2), update.completed > base
        else { return false }
        return (now - began) * (total - update.completed) / (update.completed - base)
            >= .seconds(3)
    }

    /// The text of the progress line, such as `explore mb-09  35/70  50 %  about 3 s left`.
    package func text(_ update: ProgressUpdate, at now: ContinuousClock.Instant) -> String {
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
