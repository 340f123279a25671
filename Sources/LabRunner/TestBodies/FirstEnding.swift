import Synchronization

/// Waits until a piece of code has ended, or until its time limit has passed.
final class FirstEnding<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case ended(Result<Value, any Error>)
        case taken
    }

    private let state = Mutex(State.open)

    /// Sets the result. Only the first call has an effect.
    func end(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .open: state = .ended(result)
            case .awaited(let continuation):
                state = .taken
                return continuation
            case .ended, .taken: break
            }
            return nil
        }
        waiting?.resume(with: result)
    }

    var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<Value, any Error>? in
                    if case .ended(let result) = state {
                        state = .taken
                        return result
                    }
                    state = .awaited(continuation)
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        }
    }
}
