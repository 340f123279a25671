/// How long an explorer waits for a thread that may wait for something which nobody here knows.
struct Patience {
    /// How long to wait between two looks, in milliseconds.
    private static let look = 100

    let limit: Duration
    /// Whether it is known by now that the thread will not come back by itself.
    let isVain: () -> Bool

    /// - Returns: whether it was signalled in time.
    func wait(for signal: TurnSignal) -> Bool {
        // Waits are counted, for a clock goes on while the machine stands still.
        for _ in 0..<max(1, Int(limit / .milliseconds(Self.look))) {
            if signal.wait(milliseconds: Self.look) { return true }
            if isVain() { return false }
        }
        return false
    }
}
