import Foundation

/// The operations of foreign threads on the lab's stacks, and their waits.
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

    /// The first operation; nil if there was none.
    var first: String? { locked { $0.notes.first } }

    func note(_ what: String) { locked { $0.notes.append(what) } }

    /// Keeps work until all threads of the lab have ended.
    func hold(_ work: @escaping () -> Void) {
        let isLate = locked { state in
            if !state.isOver { state.held.append(work) }
            return state.isOver
        }
        if isLate { work() }
    }

    /// Blocks the calling thread until all threads of the lab have ended.
    func waitForEnd() {
        condition.lock()
        while !state.isOver { condition.wait() }
        condition.unlock()
    }

    /// Lets the waiting threads go on, and runs the kept work: all threads of the lab have ended.
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
