/// How long an explorer waits for a thread that may wait for something which nobody here knows.
struct Patience {
    /// How long to wait between two looks, in milliseconds.
    private static let look = 100

    let limit: Duration
    /// Whether it is known by now that the thread will not come back by itself.
    let isVain: () -> Bool

    /// - Parameter turns: how many turns there have been; each gets the whole time.
    /// - Returns: whether it was signalled in time.
    func wait(for signal: TurnSignal, turns: () -> Int) -> Bool {
        // Waits are counted, for a clock goes on while the machine stands still.
        let looksMax = max(1, Int(limit / .milliseconds(Self.look)))
        var (looks, seen) = (0, turns())
        while looks < looksMax {
            if signal.wait(milliseconds: Self.look) { return true }
            if isVain() { return false }
            let now = turns()
            looks = now == seen ? looks + 1 : 0
            seen = now
        }
        return false
    }
}
