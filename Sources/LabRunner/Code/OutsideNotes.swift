import Foundation

/// Records the operations of foreign threads (threads that the lab did not create) on the lab's
/// stacks. Also holds their work until the schedules have ended.
final class OutsideNotes: Sendable {
    private struct State {
        var notes: [String] = []
        var held: [() -> Void] = []
        var isOver = false
    }

    private let condition = NSCondition()
    // Unchecked because `condition` guards it.
    private nonisolated(unsafe) var state = State()

    private func locked<T>(_ body: (inout State) -> T) -> T {
        condition.lock()
        defer { condition.unlock() }
        return body(&state)
    }

    var first: String? { locked { $0.notes.first } }

    func note(_ what: String) { locked { $0.notes.append(what) } }

    func hold(_ work: @escaping () -> Void) {
        let isLate = locked { state in
            if !state.isOver { state.held.append(work) }
            return state.isOver
        }
        if isLate { work() }
    }

    func waitForEnd() {
        condition.lock()
        while !state.isOver { condition.wait() }
        condition.unlock()
    }

    /// Called when all threads of the lab have ended. Releases the threads that wait in
    /// ``waitForEnd()``, and runs the work that ``hold(_:)`` has kept.
    func end() {
        let held = locked { state in
            state.isOver = true
            defer { state.held = [] }
            return state.held
        }
        condition.lock()
        condition.broadcast()
        condition.unlock()
        for work in held { work() }
    }
}
