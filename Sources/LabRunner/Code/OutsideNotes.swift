import Foundation

/// What threads that the lab did not make have done to its stacks, and what they wait for.
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

    /// What was done first; nil where nothing was.
    var first: String? { locked { $0.notes.first } }

    func note(_ what: String) { locked { $0.notes.append(what) } }

    /// Keeps work that nobody runs before the end.
    func hold(_ work: @escaping () -> Void) {
        let isLate = locked { state in
            if !state.isOver { state.held.append(work) }
            return state.isOver
        }
        if isLate { work() }
    }

    /// Blocks the calling thread until the lab has come to rest.
    func waitForEnd() {
        condition.lock()
        while !state.isOver { condition.wait() }
        condition.unlock()
    }

    /// The lab has come to rest: whoever waited goes on.
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
