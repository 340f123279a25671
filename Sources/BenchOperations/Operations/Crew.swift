import Foundation
import Synchronization

/// Collects the results of several threads.
final class Crew<Value: Sendable>: Sendable {
    private struct State {
        var results: [Result<Value, any Error>?]
        var left: Int
    }

    private let state: Mutex<State>
    private let changed = NSCondition()

    init(_ count: Int) {
        state = Mutex(State(results: Array(repeating: nil, count: count), left: count))
    }

    var isDone: Bool { state.withLock { $0.left == 0 } }

    func finish(_ index: Int, _ result: Result<Value, any Error>) {
        state.withLock { state in
            state.results[index] = result
            state.left -= 1
        }
        changed.lock()
        changed.broadcast()
        changed.unlock()
    }

    /// Waits for all results. Throws the first error.
    func wait() throws -> [Value] {
        changed.lock()
        while !isDone { changed.wait() }
        changed.unlock()
        return try state.withLock { state in try state.results.map { try $0?.get() } }
            .compactMap(\.self)
    }
}
