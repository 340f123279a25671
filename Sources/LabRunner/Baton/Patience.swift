/// How long an explorer waits for a thread that may wait for something which nobody here knows.
struct Patience {
    let limit: Duration
    /// Whether it is known by now that the thread will not come back by itself.
    let isVain: () -> Bool

    /// - Returns: whether it was signalled in time.
    func wait(for signal: TurnSignal) -> Bool {
        let end = ContinuousClock.now + limit
        while !signal.wait(milliseconds: 100) {
            if isVain() || ContinuousClock.now >= end { return false }
        }
        return true
    }
}
