// Owns the line on a terminal that says how far long work has come and how long it will take.

import LabResults
import Synchronization

/// One line on standard error that is written over and over; nothing in a pipe.
final class ProgressLine: Sendable {
    private struct State {
        var label = ""
        var began = ContinuousClock.now
        var written = ContinuousClock.now - .seconds(1)
        var width = 0
    }

    private let state = Mutex(State())
    private let isOn: Bool

    init(isOn: Bool = Console.isWatched) { self.isOn = isOn }

    /// What long work calls.
    var sink: ProgressSink {
        guard isOn else { return { _ in } }
        return { update in self.show(update) }
    }

    /// Removes the line, so that results stand alone.
    func finish() {
        guard isOn else { return }
        state.withLock { state in
            if state.width > 0 { Console.draw("\r\u{1B}[K") }
            state.width = 0
        }
    }

    private func show(_ update: ProgressUpdate) {
        state.withLock { state in
            let now = ContinuousClock.now
            if state.label.isEmpty || update.completed == 0 { state.began = now }
            let isDue = now - state.written >= .milliseconds(100) || update.label != state.label
            state.label = update.label
            guard isDue || update.completed == update.total else { return }
            state.written = now
            let text = Self.text(update, elapsed: now - state.began)
            state.width = text.count
            Console.draw("\r\u{1B}[K\(text)")
        }
    }

    /// `explore mb-09  35/70  50 %  about 3 s left`.
    static func text(_ update: ProgressUpdate, elapsed: Duration) -> String {
        guard let total = update.total, total > 0 else {
            return "\(update.label)  \(update.completed)"
        }
        let share = Double(update.completed) / Double(total)
        let text = "\(update.label)  \(update.completed)/\(total)  \(Int(share * 100)) %"
        guard update.completed > 0, update.completed < total else { return text }
        let left = elapsed * (1 / share - 1)
        return left < .seconds(1) ? text : "\(text)  about \(left.components.seconds) s left"
    }
}
