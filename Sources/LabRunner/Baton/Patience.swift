import Dispatch

/// How long an explorer waits for a thread that may wait for something which nobody here knows.
struct Patience {
    let limit: Duration
    /// Whether it is known by now that the thread will not come back by itself.
    let isVain: () -> Bool

    /// - Returns: whether the semaphore was signalled in time.
    func wait(for semaphore: DispatchSemaphore) -> Bool {
        let end = ContinuousClock.now + limit
        while semaphore.wait(timeout: .now() + .milliseconds(100)) != .success {
            if isVain() || ContinuousClock.now >= end { return false }
        }
        return true
    }
}
